/* Values of R: what is taken from lists, and what is made for R. */
#include "asifr.h"

#include <string.h>

SEXP asifr_item(SEXP list, const char *name) {
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

const char *const *asifr_texts(SEXP list, const char *name, uint32_t *count) {
    SEXP item = asifr_item(list, name);
    *count = Rf_isString(item) ? (uint32_t)Rf_length(item) : 0;
    const char **out = (const char **)R_alloc((size_t)*count + 1, sizeof *out);
    for (uint32_t i = 0; i < *count; i++)
        out[i] = Rf_translateCharUTF8(STRING_ELT(item, i));
    out[*count] = NULL;
    return out;
}

const char *asifr_text(SEXP list, const char *name) {
    uint32_t count;
    return asifr_texts(list, name, &count)[0];
}

double asifr_number(SEXP list, const char *name, double otherwise) {
    SEXP item = asifr_item(list, name);
    double number = Rf_isNumeric(item) && Rf_length(item) == 1 ? Rf_asReal(item) : NA_REAL;
    return ISNAN(number) ? otherwise : number;
}

bool asifr_true(SEXP list, const char *name) {
    SEXP item = asifr_item(list, name);
    return Rf_isLogical(item) && Rf_length(item) == 1 && LOGICAL(item)[0] == TRUE;
}

SEXP asifr_string(const char *text) {
    SEXP one = PROTECT(text ? Rf_mkCharCE(text, CE_UTF8) : NA_STRING);
    SEXP out = Rf_ScalarString(one);
    UNPROTECT(1);
    return out;
}

SEXP asifr_list(uint32_t count, const char *const *name) {
    SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
    SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
    for (uint32_t i = 0; i < count; i++)
        SET_STRING_ELT(names, i, Rf_mkCharCE(name[i], CE_UTF8));
    Rf_setAttrib(out, R_NamesSymbol, names);
    UNPROTECT(2);
    return out;
}
