#include "base/numeric/simd.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef ASIF_HAVE_LIBMVEC
static bool have_sse2(void) {
    return true;
}
static bool have_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool have_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif

static bool always(void) {
    return true;
}

const asif_simd *asif_simd_choose(uint32_t level) {
    static const struct {
        const asif_simd *simd;
        bool (*there)(void);
    } table[] = {
#ifdef ASIF_HAVE_LIBMVEC
        {&asif_simd_avx512, have_avx512},
        {&asif_simd_avx2, have_avx2},
        {&asif_simd_sse2, have_sse2},
#endif
        {&asif_simd_plain, always},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((level == 0 || table[i].simd->level == level) && table[i].there())
            return table[i].simd;
    return NULL;
}
