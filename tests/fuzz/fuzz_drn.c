/* Any bytes as a DRN file: what can be read is written to a text that reads back and is written the same
 * again. */
#include "asif/formats.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    asif_context *context;
    asif_setting *setting, *again;
    asif_error error = ASIF_ERROR_INIT;
    must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    if (asif_drn_read(&setting, context, (const char *)data, size, "fuzz", NULL, 0.5, &error) == ASIF_OK) {
        char *text, *twice;
        must(asif_drn_write(&text, setting, NULL, NULL) == ASIF_OK);
        must(asif_drn_read(&again, context, text, strlen(text), "again", "utility", 0.5, NULL) == ASIF_OK);
        must(asif_drn_write(&twice, again, NULL, NULL) == ASIF_OK);
        must(strcmp(text, twice) == 0);
        asif_memory_free(context, text);
        asif_memory_free(context, twice);
        asif_setting_free(setting);
        asif_setting_free(again);
    } else {
        must(error.status != ASIF_OK && error.message[0] && error.line > 0 && error.column > 0);
    }
    asif_context_free(context);
    return 0;
}
