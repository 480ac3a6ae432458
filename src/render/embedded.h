/* Files that are part of the library: templates of figures, the page's style and scripts. */
#ifndef ASIF_SRC_RENDER_EMBEDDED_H
#define ASIF_SRC_RENDER_EMBEDDED_H

#include <stdint.h>

typedef struct {
    const char *name;
    const char *text; /* ended by a 0 */
    uint64_t length;
} asif_embedded_file;

/* All of them, ended by one without a name; written by the build (cmake/embed.cmake). */
extern const asif_embedded_file asif_embedded_files[];

/* The file of a name; NULL if the build left it out. */
const asif_embedded_file *asif_embedded(const char *name);

#endif
