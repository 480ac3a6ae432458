/* Any bytes as the manifest of a fit's folder. What is read names only files in the folder, each once; it is
 * written as a text that reads back to the same, which is then written as the same bytes. */
#include "asif.h"

#include "base/memory.h"
#include "fit/folder/manifest.h"
#include "scratch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const asif_manifest *m) {
    must(m->by ? m->files == 0 : m->groups == 0);
    for (uint64_t i = 0; i < m->files; i++)
        must(asif_manifest_plain(m->file[i].name) && !strchr(m->file[i].name, '/') &&
             asif_manifest_find(m, m->file[i].name) == &m->file[i]);
    for (uint64_t i = 0; i < m->groups; i++)
        must(asif_manifest_plain(m->group[i].folder) && strcmp(m->group[i].folder, "..") != 0 &&
             asif_manifest_find_group(m, m->group[i].folder) == &m->group[i]);
}

static void check_same(const asif_manifest *a, const asif_manifest *b) {
    must(a->files == b->files && a->groups == b->groups && strcmp(a->key, b->key) == 0);
    must(!a->by == !b->by && (!a->by || strcmp(a->by, b->by) == 0));
    for (uint64_t i = 0; i < a->files; i++)
        must(strcmp(a->file[i].name, b->file[i].name) == 0 && a->file[i].bytes == b->file[i].bytes &&
             strcmp(a->file[i].digest, b->file[i].digest) == 0);
    for (uint64_t i = 0; i < a->groups; i++)
        must(strcmp(a->group[i].value, b->group[i].value) == 0 &&
             strcmp(a->group[i].folder, b->group[i].folder) == 0 &&
             strcmp(a->group[i].key, b->group[i].key) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context;
    asif_manifest manifest, back;
    asif_error error = ASIF_ERROR_INIT;
    if (!context)
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    asif_status status = asif_manifest_read(&manifest, context, (const char *)data, size, "fuzz", &error);
    must(status == error.status && (status == ASIF_OK || (error.message[0] && error.file[0])));
    if (status == ASIF_OK) {
        char *text = NULL, *again = NULL;
        uint64_t length = 0, repeated = 0;
        check_names(&manifest);
        must(asif_manifest_text(&text, &length, &manifest, NULL) == ASIF_OK);
        must(asif_manifest_read(&back, context, text, length, "back", &error) == ASIF_OK);
        check_same(&manifest, &back);
        must(asif_manifest_text(&again, &repeated, &back, NULL) == ASIF_OK);
        must(repeated == length && memcmp(text, again, length) == 0);
        asif_manifest_free(&back);
        asif_free(context, text);
        asif_free(context, again);
    }
    asif_manifest_free(&manifest);
    return 0;
}
