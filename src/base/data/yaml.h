/* A YAML text as a tree of nodes with their positions. Every scalar is text. */
#ifndef ASIF_SRC_BASE_DATA_YAML_H
#define ASIF_SRC_BASE_DATA_YAML_H

#include "asif/base.h"

typedef enum { ASIF_YAML_SCALAR, ASIF_YAML_LIST, ASIF_YAML_MAP } asif_yaml_kind;

typedef struct asif_yaml asif_yaml;
struct asif_yaml {
    asif_yaml_kind kind;
    uint32_t line, column; /* 1-based */
    uint32_t count;        /* items of a list, pairs of a map */
    bool quoted;           /* a scalar in quotes is never a number or the word `learn` */
    const char *text;      /* value of a scalar */
    asif_yaml **key;       /* keys of a map: scalars, no two alike */
    asif_yaml **item;      /* items of a list, or values of a map */
};

typedef struct asif_yaml_document asif_yaml_document;

/* Reads one document. Refuses more than one document, keys that are not scalars, repeated keys, and depth
 * over 32. Aliases share nodes. `name` is the file's in error messages. */
asif_status asif_yaml_read(asif_yaml_document **out, const asif_context *context, const char *text,
                           uint64_t length, const char *name, asif_error *error);
const asif_yaml *asif_yaml_root(const asif_yaml_document *document);
/* The root, for an owner that changes texts of the document; they have to live as long as it does. */
asif_yaml *asif_yaml_change(asif_yaml_document *document);
void asif_yaml_free(asif_yaml_document *document);

/* The value of a key, or NULL. */
const asif_yaml *asif_yaml_get(const asif_yaml *map, const char *key);
const char *asif_yaml_kind_name(asif_yaml_kind kind); /* "a list", "a mapping", "a single value" */

/* ---- yaml_part.c ---- */
/* Values of a key below a node, which may be NULL. Where there is none of that kind, they are NULL, NaN
 * or false. */
const asif_yaml *asif_yaml_part(const asif_yaml *node, const char *key);
/* The list of a key, or NULL if its value is not a list. */
const asif_yaml *asif_yaml_list(const asif_yaml *node, const char *key);
const char *asif_yaml_text(const asif_yaml *node, const char *key);
double asif_yaml_value(const asif_yaml *node, const char *key);
bool asif_yaml_flag(const asif_yaml *node, const char *key);
/* Whether a text, which may be NULL, equals a word. */
bool asif_is(const char *text, const char *word);

#endif
