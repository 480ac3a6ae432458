/* Any bytes as a .pomdp file: what can be read is written to a text that reads back and is written the same
 * again; small problems are turned into a setting and back. */
#include "asif/formats.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_and_read(const asif_context *context, const asif_pomdp *p) {
    char *text, *twice;
    asif_pomdp *again;
    must(asif_pomdp_write(&text, p, NULL) == ASIF_OK);
    must(asif_pomdp_read(&again, context, text, strlen(text), NULL, NULL) == ASIF_OK);
    must(asif_pomdp_write(&twice, again, NULL) == ASIF_OK);
    asif_pomdp_free(again);
    asif_memory_free(context, text);
    return twice;
}

static void convert(const asif_context *context, const asif_pomdp *p) {
    asif_setting *setting;
    asif_pomdp *back;
    bool averaged;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_pomdp_setting(&setting, &averaged, p, &error) != ASIF_OK) {
        must(error.status == ASIF_EUNSUPPORTED || error.status == ASIF_EDOMAIN ||
             error.status == ASIF_EINVALID);
        return;
    }
    must(asif_pomdp_from_setting(&back, setting, NULL, NULL) == ASIF_OK);
    asif_memory_free(context, write_and_read(context, back));
    asif_pomdp_free(back);
    asif_setting_free(setting);
}

/* Large spaces in few bytes are fine for the reader, and slow to spell out. */
static bool is_small(const char *text) {
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        static const char *const words[] = {"states: ", "actions: ", "observations: "};
        for (int i = 0; i < 3; i++)
            if (strncmp(line, words[i], strlen(words[i])) == 0 && atol(line + strlen(words[i])) > 64)
                return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    asif_context *context;
    asif_pomdp *p;
    asif_error error = ASIF_ERROR_INIT;
    must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    if (asif_pomdp_read(&p, context, (const char *)data, size, "fuzz", &error) == ASIF_OK) {
        char *text;
        must(asif_pomdp_write(&text, p, NULL) == ASIF_OK);
        char *twice = write_and_read(context, p);
        must(strcmp(text, twice) == 0);
        if (is_small(text))
            convert(context, p);
        asif_memory_free(context, text);
        asif_memory_free(context, twice);
        asif_pomdp_free(p);
    } else {
        must(error.status != ASIF_OK && error.message[0] && error.line > 0 && error.column > 0);
    }
    asif_context_free(context);
    return 0;
}
