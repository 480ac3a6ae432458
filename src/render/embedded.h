/* Files that are part of the library: templates of figures, the page's style and scripts. */
#ifndef ASIF_SRC_RENDER_EMBEDDED_H
#define ASIF_SRC_RENDER_EMBEDDED_H

#include <stdint.h>

typedef struct {
    const char *name;
    const char *text; /* terminated by 0 */
    uint64_t length;
} asif_embedded_file;

/* All files; the last one has no name. The build writes them (cmake/embed.cmake). */
extern const asif_embedded_file asif_embedded_files[];

/* Find a file by its name; NULL if the build left it out. */
const asif_embedded_file *asif_embedded(const char *name);

#endif
