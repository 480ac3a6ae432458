/* The private definition of asif_context. */
#ifndef ASIF_SRC_BASE_CONTEXT_H
#define ASIF_SRC_BASE_CONTEXT_H

#include "asif/base.h"
#include "base/numeric/simd.h"

struct asif_context {
    asif_context_options options;
    const asif_simd *simd;
};

/* Reports progress; true if the caller must stop. */
bool asif_progress(const asif_context *context, const char *what, double done);

#endif
