/* `asif_tell` reads an answer from its JSON and writes it as text. */
#ifndef ASIF_SRC_RENDER_TELLING_H
#define ASIF_SRC_RENDER_TELLING_H

#include "asif/report.h"
#include "base/data/fields.h"
#include "render/table.h"

typedef struct {
    const char *what, *command;        /* "the text of a sensitivity", and the command that prints its JSON */
    const asif_fields *fields;         /* NULL: `tell` gets the root of the document, an asif_yaml */
    bool (*is)(const asif_yaml *root); /* whether it is one; NULL: it has all that `fields` require */
    void (*tell)(asif_text *text, const void *value, const asif_report_options *options);
} asif_telling;

/* The text of an answer; a JSON of something else is refused. With `json` in the options, the JSON as it is.
 */
asif_status asif_tell(char **out, const asif_context *context, const char *json, uint64_t length,
                      const char *name, const asif_report_options *options, const asif_telling *telling,
                      asif_error *error);

/* Words after a heading, made fit for a terminal and broken as asif_add_wrapped() does; they are freed. */
void asif_add_words(asif_text *text, const char *heading, uint32_t indent, asif_text *words, uint32_t width);
/* The same in one step. */
void asif_add_wordsf(asif_text *text, const char *heading, uint32_t indent, uint32_t width,
                     const char *format, ...) ASIF_PRINTF(5, 6);

#endif
