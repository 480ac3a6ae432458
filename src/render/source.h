/* The inputs of a page and its figures, read once: the fits, the answers of other commands, and what may be
 * shown. */
#ifndef ASIF_SRC_RENDER_SOURCE_H
#define ASIF_SRC_RENDER_SOURCE_H

#include "asif/report.h"
#include "render/disclosure/disclosure.h"
#include "render/words/fit_numbers.h"

typedef struct {
    const asif_result *result;
    asif_result_view view;
    asif_summary fit;       /* contents of fit.json */
    asif_draws_view draws;  /* `columns` is 0 if there are no draws */
    asif_disclosure *cells; /* which counts of the fit may be shown */
    const char *name;       /* name of the group as it may be shown; NULL: there is only one fit */
    char hidden[32];        /* name that replaces a group's own name */
    asif_yaml_document *own, *path_document, *made_document; /* own: fit.json with labels in place of names */
    const asif_yaml *path, *made;                            /* JSON of explain, and run.json; NULL: none */
} asif_source_fit;

/* An answer of another command, from its JSON, or its part about one group. */
typedef struct {
    const char *kind; /* "sensitivity", "evaluate", "contrast", "recover" or "sbc" */
    const char *name;
    const asif_yaml *root;
    uint32_t fit; /* index of the group it is about; ASIF_ANY: all of them, or not known */
} asif_source_extra;

typedef struct {
    const asif_context *context;
    const asif_page_request *request;
    uint32_t fits, extras;
    asif_source_fit *fit;
    asif_source_extra *extra;
    asif_yaml_document **document; /* of each extra of the request */
} asif_source;

/* Read the inputs of a request, which is borrowed. Call asif_source_free() in either case. ASIF_EPARSE if a
 * text is not what asif writes, ASIF_EINVALID if it is about another group, ASIF_EUNKNOWN for a truth of
 * something that was not estimated, ASIF_EDOMAIN without fits, ASIF_ENOMEM. */
asif_status asif_source_read(asif_source *out, const asif_context *context, const asif_page_request *request,
                             asif_error *error);
void asif_source_free(asif_source *source);

/* Whether the values of a column must be hidden because they name subjects or episodes. `length` is that of
 * the name in bytes. */
bool asif_source_hides(const asif_source *source, const char *column, uint64_t length);
/* The first extra of a kind; NULL: the page has none. */
const asif_source_extra *asif_source_find(const asif_source *source, const char *kind);
/* The extra of a kind that is about one fit; with groups, about this group. */
const asif_source_extra *asif_source_find_of(const asif_source *source, const char *kind, uint32_t fit);
/* The true value of an estimate, by the name of its column; NaN: not known. */
double asif_source_truth(const asif_source *source, const char *column);

#endif
