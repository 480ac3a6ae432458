#include "base/data/fields.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define DEPTH ASIF_JSON_DEPTH

static const char *name_in(const asif_names *names, const void *root, uint32_t i) {
    const char *list, *name;
    memcpy(&list, (const char *)root + names->list, sizeof list);
    memcpy(&name, list + (size_t)i * names->size + names->name, sizeof name);
    return name;
}

static uint32_t count_at(const void *at, size_t offset) {
    uint32_t count;
    memcpy(&count, (const char *)at + offset, sizeof count);
    return count;
}

static const char *pointer_at(const void *at, size_t offset) {
    const char *pointer;
    memcpy(&pointer, (const char *)at + offset, sizeof pointer);
    return pointer;
}

/* ---- writing ---- */

typedef struct {
    asif_json *json;
    const void *at[DEPTH]; /* the structs around the one being written, which is the last */
    uint32_t depth;
} writer;

static void write_object(writer *w, const char *key, const asif_fields *fields, const void *at);
static void write_fields(writer *w, const asif_fields *fields, const void *at);

static bool is_wanted(const writer *w, const asif_when *when) {
    const char *byte = when->size ? (const char *)w->at[w->depth - 1 - when->up] + when->offset : NULL;
    bool set = false;
    for (size_t i = 0; i < when->size; i++)
        set |= byte[i] != 0;
    return when->size == 0 || set != when->unless;
}

static void write_items(writer *w, const asif_field *f, const void *at) {
    const asif_names *names = f->kind == ASIF_FIELD_LIST || f->kind == ASIF_FIELD_ARRAY ? NULL : f->names;
    const void *root = w->at[0];
    size_t offset = f->kind == ASIF_FIELD_MAP ? names->list : f->offset;
    const char *item = f->kind == ASIF_FIELD_ARRAY ? (const char *)at + offset : pointer_at(at, offset);
    uint32_t count = names ? count_at(root, names->count) : count_at(at, f->count);
    (names ? asif_json_object : asif_json_array)(w->json, f->key);
    for (uint32_t i = 0; i < count; i++)
        write_object(w, names ? name_in(names, root, i) : NULL, f->of, item + i * f->of->size);
    asif_json_end(w->json);
}

static void write_field(writer *w, const asif_field *f, const void *at) {
    const char *value = (const char *)at + f->offset;
    uint32_t index;
    switch (f->kind) {
    case ASIF_FIELD_END:
        return;
    case ASIF_FIELD_NUMBER:
        asif_json_known(w->json, f->key, *(const double *)value);
        return;
    case ASIF_FIELD_COUNT:
        asif_json_count(w->json, f->key, *(const uint32_t *)value);
        return;
    case ASIF_FIELD_LARGE:
        asif_json_count(w->json, f->key, *(const uint64_t *)value);
        return;
    case ASIF_FIELD_FLAG:
        asif_json_bool(w->json, f->key, *(const bool *)value);
        return;
    case ASIF_FIELD_TEXT:
        asif_json_string(w->json, f->key, pointer_at(at, f->offset));
        return;
    case ASIF_FIELD_WORD:
        asif_json_string(w->json, f->key, f->word[count_at(at, f->offset)]);
        return;
    case ASIF_FIELD_INDEX:
        index = count_at(at, f->offset);
        asif_json_string(w->json, f->key, index == UINT32_MAX ? NULL : name_in(f->names, w->at[0], index));
        return;
    case ASIF_FIELD_PART:
        write_object(w, f->key, f->of, value);
        return;
    case ASIF_FIELD_ALSO:
        write_fields(w, f->of, at);
        return;
    case ASIF_FIELD_OBJECT:
        value = pointer_at(at, f->offset);
        if (value)
            write_object(w, f->key, f->of, value);
        else
            asif_json_null(w->json, f->key);
        return;
    default:
        write_items(w, f, at);
    }
}

static void write_fields(writer *w, const asif_fields *fields, const void *at) {
    for (const asif_field *f = fields->field; f->kind != ASIF_FIELD_END; f++)
        if (is_wanted(w, &f->when))
            write_field(w, f, at);
}

static void write_object(writer *w, const char *key, const asif_fields *fields, const void *at) {
    if (w->depth == DEPTH) {
        w->json->text->failed = true;
        return;
    }
    w->at[w->depth++] = at;
    asif_json_object(w->json, key);
    write_fields(w, fields, at);
    asif_json_end(w->json);
    w->depth--;
}

void asif_fields_write(asif_json *json, const char *key, const asif_fields *fields, const void *value) {
    writer w = {.json = json};
    if (value)
        write_object(&w, key, fields, value);
    else
        asif_json_null(json, key);
}

asif_status asif_fields_json(char **out, const asif_context *context, const asif_fields *fields,
                             const void *value, asif_error *error) {
    asif_text text = {.context = context};
    asif_json json;
    asif_json_init(&json, &text);
    asif_fields_write(&json, NULL, fields, value);
    return asif_text_finish(out, &text, error);
}

/* ---- reading ---- */

/* The items of a missing ALONG field. All such fields share them, so that the memory stays in proportion to
 * the file. */
typedef struct blank blank;
struct blank {
    const asif_field *field;
    void *item;
    blank *last;
};

typedef struct {
    asif_arena *arena;
    const asif_yaml *root;
    void *value; /* the struct that the root fills */
    blank *blanks;
    bool failed;
} reader;

static void read_object(reader *r, const asif_fields *fields, const asif_yaml *node, void *at);

static void *take(reader *r, uint64_t count, size_t size) {
    void *memory = r->failed ? NULL : asif_arena_alloc(r->arena, count, size);
    r->failed |= !memory;
    return memory;
}

static void set_pointer(void *at, size_t offset, const void *pointer) {
    memcpy((char *)at + offset, &pointer, sizeof pointer);
}

static void set_count(void *at, size_t offset, uint32_t count) {
    memcpy((char *)at + offset, &count, sizeof count);
}

static uint32_t word_of(const asif_field *f, const char *text) {
    for (uint32_t i = 0; text && i < f->room; i++)
        if (f->word[i] && strcmp(text, f->word[i]) == 0)
            return i;
    return 0;
}

/* The index of a name in its list, taken from the file because the list may not have been read yet. */
static uint32_t place_of(const reader *r, const asif_names *names, const char *name) {
    const asif_yaml *list = asif_yaml_part(r->root, names->key);
    bool map = list && list->kind == ASIF_YAML_MAP;
    for (uint32_t i = 0; name && list && i < list->count; i++) {
        const char *found = map ? list->key[i]->text : asif_yaml_text(list->item[i], "name");
        if (found && strcmp(found, name) == 0)
            return i;
    }
    return UINT32_MAX;
}

static uint64_t large_of(double value) {
    return value >= 0 && value < 0x1p53 ? (uint64_t)value : 0;
}

static asif_yaml_kind yaml_kind(const asif_field *f) {
    return f->kind == ASIF_FIELD_LIST || f->kind == ASIF_FIELD_ARRAY ? ASIF_YAML_LIST : ASIF_YAML_MAP;
}

static void read_list(reader *r, const asif_field *f, const asif_yaml *list, void *at) {
    bool inside = f->kind == ASIF_FIELD_ARRAY;
    uint32_t count = list && list->kind == yaml_kind(f) ? list->count : 0;
    count = inside && count > f->room ? f->room : count;
    char *item = inside ? (char *)at + f->offset : take(r, count, f->of->size);
    if (!item)
        count = 0;
    if (!inside)
        set_pointer(at, f->kind == ASIF_FIELD_MAP ? f->names->list : f->offset, item);
    set_count(at, f->kind == ASIF_FIELD_MAP ? f->names->count : f->count, count);
    for (uint32_t i = 0; i < count; i++) {
        read_object(r, f->of, list->item[i], item + i * f->of->size);
        if (f->kind == ASIF_FIELD_MAP)
            set_pointer(item + i * f->of->size, f->names->name, list->key[i]->text);
    }
}

static char *read_along_new(reader *r, const asif_field *f, const asif_yaml *map, uint32_t count) {
    char *item = take(r, count, f->of->size);
    for (uint32_t i = 0; item && i < count; i++) {
        const char *name = name_in(f->names, r->value, i);
        bool here = map && strcmp(map->key[i]->text, name) == 0;
        read_object(r, f->of, here ? map->item[i] : asif_yaml_part(map, name), item + i * f->of->size);
    }
    return item;
}

static const void *blank_of(reader *r, const asif_field *f, uint32_t count) {
    for (const blank *b = r->blanks; b; b = b->last)
        if (b->field == f)
            return b->item;
    blank *made = take(r, 1, sizeof *made);
    if (!made)
        return NULL;
    *made = (blank){.field = f, .item = read_along_new(r, f, NULL, count), .last = r->blanks};
    r->blanks = made;
    return made->item;
}

/* Reads an ALONG field; a map with fewer items than there are names is treated as missing. */
static void read_along(reader *r, const asif_field *f, const asif_yaml *map, void *at) {
    uint32_t count = count_at(r->value, f->names->count);
    bool whole = map && map->kind == ASIF_YAML_MAP && map->count >= count;
    set_pointer(at, f->offset, whole ? read_along_new(r, f, map, count) : blank_of(r, f, count));
}

static void read_field(reader *r, const asif_field *f, const asif_yaml *node, void *at) {
    char *value = (char *)at + f->offset;
    const asif_yaml *part = f->key ? asif_yaml_part(node, f->key) : NULL;
    void *made;
    switch (f->kind) {
    case ASIF_FIELD_END:
        return;
    case ASIF_FIELD_NUMBER:
        *(double *)value = asif_yaml_value(node, f->key);
        return;
    case ASIF_FIELD_COUNT:
        *(uint32_t *)value = (uint32_t)large_of(asif_yaml_value(node, f->key));
        return;
    case ASIF_FIELD_LARGE:
        *(uint64_t *)value = large_of(asif_yaml_value(node, f->key));
        return;
    case ASIF_FIELD_FLAG:
        *(bool *)value = asif_yaml_flag(node, f->key);
        return;
    case ASIF_FIELD_TEXT:
        set_pointer(at, f->offset, asif_yaml_text(node, f->key));
        return;
    case ASIF_FIELD_WORD:
        set_count(at, f->offset, word_of(f, asif_yaml_text(node, f->key)));
        return;
    case ASIF_FIELD_INDEX:
        set_count(at, f->offset, place_of(r, f->names, asif_yaml_text(node, f->key)));
        return;
    case ASIF_FIELD_PART:
        read_object(r, f->of, part, value);
        return;
    case ASIF_FIELD_ALSO:
        read_object(r, f->of, node, value);
        return;
    case ASIF_FIELD_OBJECT:
        made = part && part->kind == ASIF_YAML_MAP ? take(r, 1, f->of->size) : NULL;
        set_pointer(at, f->offset, made);
        if (made)
            read_object(r, f->of, part, made);
        return;
    case ASIF_FIELD_ALONG:
        read_along(r, f, part, at);
        return;
    default:
        read_list(r, f, part, at);
    }
}

static void read_object(reader *r, const asif_fields *fields, const asif_yaml *node, void *at) {
    for (const asif_field *f = fields->field; f->kind != ASIF_FIELD_END; f++)
        read_field(r, f, node, at);
}

bool asif_fields_match(const asif_fields *fields, const asif_yaml *node) {
    for (const asif_field *f = fields->field; f->kind != ASIF_FIELD_END; f++) {
        const asif_yaml *part = f->required ? asif_yaml_part(node, f->key) : NULL;
        if (f->required && (!part || part->kind != yaml_kind(f)))
            return false;
    }
    return true;
}

asif_status asif_fields_read(void *value, asif_arena *arena, const asif_fields *fields, const asif_yaml *node,
                             asif_error *error) {
    reader r = {.arena = arena, .root = node, .value = value};
    read_object(&r, fields, node, value);
    return r.failed ? asif_fail_memory(error) : ASIF_OK;
}
