/* Looks up files that are part of the library. */
#include "render/embedded.h"

#include <string.h>

const asif_embedded_file *asif_embedded(const char *name) {
    for (const asif_embedded_file *file = asif_embedded_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}
