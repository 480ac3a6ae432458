/* The table of what R may call. Each entry takes `how` (threads, progress) and its arguments as a list. */
#include "asifr.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

/* clang-format off */
#define ENTRIES(DO) \
    DO(study) DO(check) DO(tree) DO(plan) DO(simulate) DO(fit) \
    DO(summary) DO(draws) DO(figures) DO(report) DO(ask) DO(questions)
/* clang-format on */

#define ENTRY(name)                                                                                          \
    static SEXP call_##name(SEXP how, SEXP args) {                                                           \
        return asifr_run(asifr_##name, how, args);                                                           \
    }
ENTRIES(ENTRY)

static SEXP call_version(void) {
    return asifr_string(asif_version());
}

#define ROW(name) {"asifr_" #name, (DL_FUNC)call_##name, 2},
static const R_CallMethodDef rows[] = {ENTRIES(ROW){"asifr_version", (DL_FUNC)call_version, 0},
                                       {NULL, NULL, 0}};

attribute_visible void R_init_asif(DllInfo *info) {
    if (asif_abi() != ASIF_ABI)
        Rf_error("the package was compiled for another version of libasif: install it again");
    R_registerRoutines(info, NULL, rows, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
