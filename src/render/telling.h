/* `asif_tell` reads an answer from its JSON and writes it as text. */
#ifndef ASIF_SRC_RENDER_TELLING_H
#define ASIF_SRC_RENDER_TELLING_H

#include "asif/report.h"
#include "base/data/fields.h"
#include "render/table.h"

typedef struct {
    /* "the text of a sensitivity", and the command that prints its JSON. */
    const char *what, *command;
    const asif_fields *fields; /* NULL: `tell` gets the root of the document, an asif_yaml */
    /* Whether the JSON is such an answer; NULL: if it has all required `fields`. */
    bool (*is)(const asif_yaml *root);
    void (*tell)(asif_text *text, const void *value, const asif_report_options *options);
} asif_telling;

/* Write an answer as text; with `json` in the options, return its JSON unchanged. The caller owns `*out`.
 * ASIF_EPARSE if the JSON is not such an answer; ASIF_ENOMEM; ASIF_EDOMAIN for options of an unknown size. */
asif_status asif_tell(char **out, const asif_context *context, const char *json, uint64_t length,
                      const char *name, const asif_report_options *options, const asif_telling *telling,
                      asif_error *error);

/* Add words after a heading, cleaned for a terminal and broken as asif_add_wrapped() does; the words are
 * freed. */
void asif_add_words(asif_text *text, const char *heading, uint32_t indent, asif_text *words, uint32_t width);
/* Format words and add them as asif_add_words() does. */
void asif_add_wordsf(asif_text *text, const char *heading, uint32_t indent, uint32_t width,
                     const char *format, ...) ASIF_PRINTF(5, 6);

#endif
