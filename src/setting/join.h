/* Settings made of copies of others: one for each condition of an experiment. */
#ifndef ASIF_SRC_SETTING_JOIN_H
#define ASIF_SRC_SETTING_JOIN_H

#include "asif/setting.h"

/* What a setting is made of. A state of the new setting is a block and a state of that block's setting; an
 * observation likewise. The value of the columns is the block. */
typedef struct {
    uint32_t blocks;
    const asif_setting *const *part; /* [blocks]; all have the same spaces, worlds and endings */
    uint32_t columns;                /* their classes multiply to `blocks` */
    const asif_observation_column *column;
    uint32_t conditions; /* how many of the columns are conditions */
} asif_joint;

/* Make the joint setting. ASIF_EINVALID names what differs between blocks and must not; ASIF_EUNSUPPORTED
 * what cannot be joined yet. Cost: linear in the size of the blocks; a matrix is stored once for all its
 * uses. */
asif_status asif_setting_join(asif_setting **out, const asif_context *context, const asif_joint *joint,
                              asif_error *error);

#endif
