/* Tables of fields: one table says how a struct is written as JSON, and how it is read back.
 *
 *     static const asif_fields point_fields =
 *         ASIF_FIELDS(point, {ASIF_FIELD(point, value)}, {ASIF_FIELD(point, why), ASIF_IF(point, why, 0)});
 *
 * What a file does not have, or has as something else, is read as NaN, NULL, false, 0, UINT32_MAX or an empty
 * list. */
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
    ASIF_FIELD_TEXT,   /* const char *; NULL is null. Read: borrowed from the document */
    ASIF_FIELD_WORD,   /* an enumeration, by a table of words; that of 0 may be NULL, which is null */
    ASIF_FIELD_INDEX,  /* uint32_t, written as the name of an item of a list; UINT32_MAX is null */
    ASIF_FIELD_PART,   /* an object, of some members of this struct */
    ASIF_FIELD_ALSO,   /* the fields of another table of the same struct, in the same object */
    ASIF_FIELD_OBJECT, /* an object, by a pointer; NULL is null */
    ASIF_FIELD_LIST,   /* an array of objects */
    ASIF_FIELD_ARRAY,  /* the same, but its items stand in the struct itself */
    ASIF_FIELD_MAP,    /* an object of objects: a list whose items have names */
    ASIF_FIELD_ALONG   /* an object of objects: one for each item of a list with names, in the same order */
} asif_field_kind;

typedef struct asif_field asif_field;

/* The fields of a type, the last one ASIF_FIELD_END. */
typedef struct {
    const asif_field *field;
    size_t size; /* of the struct */
} asif_fields;

/* A list in the outermost struct whose items have names. */
typedef struct {
    const char *key;
    size_t list, count; /* offsets in the outermost struct */
    size_t size, name;  /* of an item, and the offset of its name in it */
} asif_names;

/* A field is written if a member (a flag, a pointer, a count) of its struct, or of one `up` around it, is not
 * 0; `unless`: if it is. No size: always. */
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
    uint32_t room; /* of an array; how many words there are */
    const asif_names *names;
    bool required; /* what has no such list or map is something else: asif_fields_match() */
};

#define ASIF_FIELDS(type, ...)                                                                               \
    { (const asif_field[]){__VA_ARGS__, {0}}, sizeof(type) }
#define ASIF_MEMBER_SIZE(type, member) sizeof(((type *)0)->member)
/* The kind of a member by its type; any other type does not compile. */
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

/* As a member of an object, or the outermost value if `key` is NULL; no value is null. */
void asif_fields_write(asif_json *json, const char *key, const asif_fields *fields, const void *value);
/* The same as a text of the caller's. */
asif_status asif_fields_json(char **out, const asif_context *context, const asif_fields *fields,
                             const void *value, asif_error *error);
/* Whether a document has every list and map that is required. */
bool asif_fields_match(const asif_fields *fields, const asif_yaml *node);
/* Fill `*value`; its lists are of the arena, its texts of the document. `node` may be NULL: nothing is there.
 * ASIF_ENOMEM. Memory and time are in proportion to the file. */
asif_status asif_fields_read(void *value, asif_arena *arena, const asif_fields *fields, const asif_yaml *node,
                             asif_error *error);

#endif
