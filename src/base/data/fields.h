/* Tables of fields. One table says how a struct is written as JSON, and how it is read back.
 *
 *     static const asif_fields point_fields =
 *         ASIF_FIELDS(point, {ASIF_FIELD(point, value)}, {ASIF_FIELD(point, why), ASIF_IF(point, why, 0)});
 *
 * Where a file lacks a field, or has something of another kind, the field is read as NaN, NULL, false, 0,
 * UINT32_MAX or an empty list. */
#ifndef ASIF_SRC_BASE_DATA_FIELDS_H
#define ASIF_SRC_BASE_DATA_FIELDS_H

#include "base/arena.h"
#include "base/data/json.h"
#include "base/data/yaml.h"

#include <stddef.h>

typedef enum {
    ASIF_FIELD_END,
    ASIF_FIELD_NUMBER, /* double; NaN is null */
    ASIF_FIELD_COUNT,  /* uint32_t */
    ASIF_FIELD_LARGE,  /* uint64_t */
    ASIF_FIELD_FLAG,   /* bool */
    ASIF_FIELD_TEXT,   /* const char *; NULL is null; texts that are read belong to the document */
    ASIF_FIELD_WORD,   /* an enumeration, by a table of words; the word of 0 may be NULL, which is null */
    ASIF_FIELD_INDEX,  /* uint32_t, written as the name of an item of a list; UINT32_MAX is null */
    ASIF_FIELD_PART,   /* an object with some members of this struct */
    ASIF_FIELD_ALSO,   /* the fields of another table of the same struct, in the same object */
    ASIF_FIELD_OBJECT, /* an object, by a pointer; NULL is null */
    ASIF_FIELD_LIST,   /* an array of objects */
    ASIF_FIELD_ARRAY,  /* an array of objects that are stored in the struct itself */
    ASIF_FIELD_MAP,    /* an object of objects: a list whose items have names */
    ASIF_FIELD_ALONG   /* an object with an object for each item of a list of names, in the same order */
} asif_field_kind;

typedef struct asif_field asif_field;

/* The fields of a type, the last one ASIF_FIELD_END. */
typedef struct {
    const asif_field *field;
    size_t size; /* size of the struct */
} asif_fields;

/* A list, in the outermost struct, whose items have names. */
typedef struct {
    const char *key;
    size_t list, count; /* offsets in the outermost struct */
    size_t size, name;  /* size of an item, and offset of its name */
} asif_names;

/* A condition on a member of the struct (a flag, a pointer or a count), or of the struct `up` levels around
 * it: the field is written only if the member is not 0, or with `unless` only if it is 0. Without a size
 * there is no condition. */
typedef struct {
    size_t offset, size;
    uint32_t up;
    bool unless;
} asif_when;

struct asif_field {
    const char *key;
    asif_field_kind kind;
    size_t offset;
    asif_when when;
    const char *const *word;
    const asif_fields *of;
    size_t count;  /* offset of the number of items */
    uint32_t room; /* number of items of an array, or of words */
    const asif_names *names;
    bool required; /* without this list or map, asif_fields_match() is false */
};

#define ASIF_FIELDS(type, ...)                                                                               \
    { (const asif_field[]){__VA_ARGS__, {0}}, sizeof(type) }
#define ASIF_MEMBER_SIZE(type, member) sizeof(((type *)0)->member)
/* The kind of a member follows from its type; other types do not compile. */
#define ASIF_FIELD_KIND(type, member)                                                                        \
    _Generic(((type *)0)->member, double: ASIF_FIELD_NUMBER, uint32_t: ASIF_FIELD_COUNT,                     \
        uint64_t: ASIF_FIELD_LARGE, bool: ASIF_FIELD_FLAG, char *: ASIF_FIELD_TEXT,                          \
        const char *: ASIF_FIELD_TEXT)
#define ASIF_FIELD_AS(name, type, member)                                                                    \
    .key = (name), .kind = ASIF_FIELD_KIND(type, member), .offset = offsetof(type, member)
#define ASIF_FIELD(type, member) ASIF_FIELD_AS(#member, type, member)
#define ASIF_OF_KIND(k, name, type, member) .key = (name), .kind = (k), .offset = offsetof(type, member)
#define ASIF_WORD(type, member, words)                                                                       \
    ASIF_OF_KIND(ASIF_FIELD_WORD, #member, type, member), .word = (words),                                   \
                                                          .room = sizeof(words) / sizeof *(words)
#define ASIF_INDEX(name, type, member, in) ASIF_OF_KIND(ASIF_FIELD_INDEX, name, type, member), .names = &(in)
#define ASIF_PART(name, fields) .key = (name), .kind = ASIF_FIELD_PART, .of = &(fields)
#define ASIF_ALSO(fields) .kind = ASIF_FIELD_ALSO, .of = &(fields)
#define ASIF_OBJECT(name, type, member, fields)                                                              \
    ASIF_OF_KIND(ASIF_FIELD_OBJECT, name, type, member), .of = &(fields)
#define ASIF_LIST(name, type, member, many, fields)                                                          \
    ASIF_OF_KIND(ASIF_FIELD_LIST, name, type, member), .count = offsetof(type, many), .of = &(fields)
#define ASIF_LIST_INSIDE(name, type, member, many, fields)                                                   \
    ASIF_OF_KIND(ASIF_FIELD_ARRAY, name, type, member),                                                      \
        .count = offsetof(type, many), .of = &(fields),                                                      \
        .room = ASIF_MEMBER_SIZE(type, member) / ASIF_MEMBER_SIZE(type, member[0])
#define ASIF_MAP(in, name, fields) .key = (name), .kind = ASIF_FIELD_MAP, .of = &(fields), .names = &(in)
#define ASIF_ALONG(name, type, member, in, fields)                                                           \
    ASIF_OF_KIND(ASIF_FIELD_ALONG, name, type, member), .names = &(in), .of = &(fields)
#define ASIF_NAMES(words, type, member, many, item)                                                          \
    { (words), offsetof(type, member), offsetof(type, many), sizeof(item), offsetof(item, name) }

#define ASIF_IF(type, member, levels)                                                                        \
    .when = {offsetof(type, member), ASIF_MEMBER_SIZE(type, member), (levels), false}
#define ASIF_UNLESS(type, member, levels)                                                                    \
    .when = {offsetof(type, member), ASIF_MEMBER_SIZE(type, member), (levels), true}

/* Writes a struct as a member of an object, or as the outermost value if `key` is NULL; a NULL value
 * is null. */
void asif_fields_write(asif_json *json, const char *key, const asif_fields *fields, const void *value);
/* Writes a struct as a JSON text, which the caller frees. */
asif_status asif_fields_json(char **out, const asif_context *context, const asif_fields *fields,
                             const void *value, asif_error *error);
/* Whether a document has every list and map that the table requires. */
bool asif_fields_match(const asif_fields *fields, const asif_yaml *node);
/* Fills `*value`. Its lists belong to the arena and its texts to the document. `node` may be NULL: then every
 * field is missing. Fails only with ASIF_ENOMEM. Memory and time are in proportion to the file. */
asif_status asif_fields_read(void *value, asif_arena *arena, const asif_fields *fields, const asif_yaml *node,
                             asif_error *error);

#endif
