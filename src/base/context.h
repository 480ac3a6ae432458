/* The private definition of asif_context. */
#ifndef ASIF_SRC_BASE_CONTEXT_H
#define ASIF_SRC_BASE_CONTEXT_H

#include "asif/base.h"
#include "base/numeric/simd.h"

struct asif_context {
    asif_context_options options;
    const asif_simd *simd;
    struct asif_keepers *keepers; /* copies of a context, with other options, share those of the first */
};

typedef bool asif_progress_function(void *user, const char *what, double done);
/* A context for a part of a computation on one thread, which reports to `progress`; it must not outlive
 * `outer`, whose memory it uses. */
asif_context asif_context_inside(const asif_context *outer, asif_progress_function *progress, void *user);

/* Reports progress; true if the caller must stop. */
bool asif_progress(const asif_context *context, const char *what, double done);

#endif
