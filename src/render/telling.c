#include "render/telling.h"

#include "base/error.h"
#include "render/report_options.h"
#include "render/words/shown_names.h"

static asif_status tell_read(char **out, asif_arena *arena, const asif_yaml *root, const char *json,
                             uint64_t length, const char *name, const asif_report_options *options,
                             const asif_telling *telling, asif_error *error) {
    bool right = telling->is ? telling->is(root) : asif_fields_match(telling->fields, root);
    if (!right)
        return asif_report_refuse(root, name, telling->what, telling->command, error);
    if (options->json)
        return asif_report_echo(out, arena->context, json, length, error);
    void *made = telling->fields ? asif_arena_alloc(arena, 1, telling->fields->size) : NULL;
    if (telling->fields && !made)
        return asif_fail_memory(error);
    if (made)
        ASIF_TRY(asif_fields_read(made, arena, telling->fields, root, error));
    asif_text text = {.context = arena->context};
    telling->tell(&text, made ? made : (const void *)root, options);
    return asif_text_finish(out, &text, error);
}

asif_status asif_tell(char **out, const asif_context *context, const char *json, uint64_t length,
                      const char *name, const asif_report_options *options, const asif_telling *telling,
                      asif_error *error) {
    asif_report_options filled;
    asif_yaml_document *document = NULL;
    asif_arena arena = {.context = context};
    *out = NULL;
    ASIF_TRY(asif_report_fill(&filled, options, error));
    ASIF_TRY(asif_shown_read(&document, context, json, length, name, error));
    asif_status status =
        tell_read(out, &arena, asif_yaml_root(document), json, length, name, &filled, telling, error);
    asif_arena_free(&arena);
    asif_yaml_free(document);
    return status;
}

void asif_add_words(asif_text *text, const char *heading, uint32_t indent, asif_text *words, uint32_t width) {
    asif_clean(words->data);
    if (words->data)
        asif_add_wrapped(text, heading, indent, words->data, width);
    text->failed |= words->failed;
    asif_text_free(words);
}

void asif_add_wordsf(asif_text *text, const char *heading, uint32_t indent, uint32_t width,
                     const char *format, ...) {
    asif_text words = {.context = text->context};
    va_list args;
    va_start(args, format);
    asif_text_addv(&words, format, args);
    va_end(args);
    asif_add_words(text, heading, indent, &words, width);
}
