/* What a page and its figures are made from, read and named once: the fits, what other commands found, and
 * what may be shown. */
#ifndef ASIF_SRC_RENDER_SOURCE_H
#define ASIF_SRC_RENDER_SOURCE_H

#include "asif/report.h"
#include "render/disclosure/disclosure.h"
#include "render/words/fit_numbers.h"

typedef struct {
    const asif_result *result;
    asif_result_view view;
    asif_summary fit;       /* its fit.json */
    asif_draws_view draws;  /* `columns` is 0 if there are none */
    asif_disclosure *cells; /* which of its counts may be shown */
    const char *name;       /* of the group, as it may be shown; NULL: there is one fit only */
    char hidden[32];        /* a name for one that may not be */
    asif_yaml_document *path_document, *made_document;
    const asif_yaml *path, *made; /* explain and run.json; NULL: none */
} asif_source_fit;

/* The JSON of another command. */
typedef struct {
    const char *kind; /* "sensitivity", "evaluate", "contrast", "recover" or "sbc" */
    const char *name;
    asif_yaml_document *document;
    const asif_yaml *root;
    uint32_t fit; /* the group that it is about; ASIF_ANY: all of them, or not known */
} asif_source_extra;

typedef struct {
    const asif_context *context;
    const asif_page_request *request;
    uint32_t fits, extras;
    asif_source_fit *fit;
    asif_source_extra *extra;
} asif_source;

/* Freed by asif_source_free() whether it fails or not. */
asif_status asif_source_read(asif_source *out, const asif_context *context, const asif_page_request *request,
                             asif_error *error);
void asif_source_free(asif_source *source);

/* Whether the values of a column (a name of so many bytes) may not be shown, because they name subjects or
 * episodes. */
bool asif_source_hides(const asif_source *source, const char *column, uint64_t length);
/* The extra of a kind; NULL: the page has none. */
const asif_source_extra *asif_source_find(const asif_source *source, const char *kind);
/* The extra of a kind that is about one fit: where there are groups, about this group. */
const asif_source_extra *asif_source_find_of(const asif_source *source, const char *kind, uint32_t fit);
/* The truth of an estimate, by the name of its column; NaN: not known. */
double asif_source_truth(const asif_source *source, const char *column);

#endif
