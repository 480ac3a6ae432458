#include "base/numeric/simd.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef ASIF_HAVE_LIBMVEC
/* Asked of the processor itself: __builtin_cpu_supports() needs a runtime library that not every compiler
 * brings. The operating system has to save the registers, too: `state` is the bits of XCR0 that say so. */
static void ask(uint32_t leaf, uint32_t *b, uint32_t *c) {
    uint32_t a = leaf, d;
    *c = 0;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(*b), "+c"(*c), "=d"(d));
    if (leaf == 0)
        *b = a; /* the last leaf that there is */
}

static bool supports(uint32_t state, uint32_t features) {
    uint32_t last, b, c, low, high;
    const uint32_t saves = 1U << 27, fma = 1U << 12;
    ask(0, &last, &c);
    if (last < 7)
        return false;
    ask(1, &b, &c);
    if ((c & (saves | fma)) != (saves | fma))
        return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    ask(7, &b, &c);
    return (low & state) == state && (b & features) == features;
}

static bool have_sse2(void) {
    return true;
}
static bool have_avx2(void) {
    return supports(0x6, 1U << 5);
}
static bool have_avx512(void) {
    return supports(0xe6, 1U << 16 | 1U << 17); /* F and DQ */
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
