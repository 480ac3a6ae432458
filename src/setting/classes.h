/* Observations that count as one event in the surprise term. The paper's cost is on the next belief, so
 * observations that lead to the same belief, from any belief and in every world, are one class. Classes
 * belong to an action. Two observations are of one class if, in each world, their emissions on the states
 * that the action can lead to there are proportional (the factor may differ by world), or both 0. Worlds that
 * the setting gives weight 0 do not count. Emissions are given numbers here. Classes of emissions that are
 * estimated would have to follow from what the study ties together: classes that come and go with the values
 * make the cost jump. */
#ifndef ASIF_SRC_SETTING_CLASSES_H
#define ASIF_SRC_SETTING_CLASSES_H

#include "setting/setting.h"

typedef struct {
    uint32_t *first; /* [actions][observations]: the first observation of the class */
    uint32_t *size;  /* [actions][observations]: of the class that begins here; 0: none does */
    double *prior; /* [actions][observations]: rho0 of the class that begins here; 1 without a belief prior */
    bool *seen;    /* [actions][observations]: can follow the action in some world that counts */
} asif_classes;

/* Of a setting with observations. The time grows with the square of their number at most. On failure there is
 * nothing to free. */
asif_status asif_classes_create(asif_classes *out, const asif_context *context, const asif_setting *setting,
                                asif_error *error);
void asif_classes_free(const asif_context *context, asif_classes *classes);

/* Do two actions have the same classes, with the same rho0, of the observations that these emissions show? */
bool asif_classes_agree(const asif_classes *classes, const asif_matrix *emissions, uint32_t one,
                        uint32_t other);

#endif
