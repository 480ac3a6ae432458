/* Observations that count as one event (a class) in the surprise term. The paper's cost is on the next
 * belief, so observations that lead to the same belief, from any belief and in every world, are one class.
 * Classes belong to an action: two observations are in one class if, in each world, their emissions on the
 * states that the action can lead to are proportional (with a factor that may differ by world) or both 0.
 * With a seen part of the state they also show the same seen value; with one hidden value that is enough.
 * Worlds of weight 0 in the setting do not count. The emissions are fixed here. If emissions were estimated,
 * the classes would have to follow from the structure of the study: classes that change with the values make
 * the cost jump. */
#ifndef ASIF_SRC_SETTING_CLASSES_H
#define ASIF_SRC_SETTING_CLASSES_H

#include "setting/setting.h"

typedef struct {
    uint32_t *first; /* [actions][observations]: the first observation of the class */
    uint32_t *size;  /* [actions][observations]: size of the class that begins here, else 0 */
    double *prior;   /* [actions][observations]: rho0 of the class that begins here; 1 without belief prior */
    bool *seen;      /* [actions][observations]: can follow the action in a world of positive weight */
} asif_classes;

/* Finds the classes of a setting with observations, in time that grows at most with the square of their
 * number. On failure there is nothing to free. */
asif_status asif_classes_create(asif_classes *out, const asif_context *context, const asif_setting *setting,
                                asif_error *error);
void asif_classes_free(const asif_context *context, asif_classes *classes);

/* Whether two actions have the same classes, with the same rho0, among the observations that these
 * emissions show. */
bool asif_classes_agree(const asif_classes *classes, const asif_matrix *emissions, uint32_t one,
                        uint32_t other);

#endif
