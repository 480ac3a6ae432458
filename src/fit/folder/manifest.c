#include "fit/folder/manifest.h"

#include "base/data/json.h"
#include "base/data/yaml.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "fit/fit.h"

#include <math.h>
#include <string.h>

#define VERSION 1
#define MOST_BYTES 9007199254740992.0 /* 2^53, up to which a double holds every whole number */

bool asif_manifest_plain(const char *name) {
    if (!*name || *name == '.')
        return false;
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '\\' || (unsigned char)*c < ' ' || *c == 127)
            return false;
    return true;
}

const asif_manifest_file *asif_manifest_find(const asif_manifest *m, const char *name) {
    for (uint64_t i = 0; i < m->files; i++)
        if (strcmp(m->file[i].name, name) == 0)
            return &m->file[i];
    return NULL;
}

const asif_manifest_group *asif_manifest_find_group(const asif_manifest *m, const char *folder) {
    for (uint64_t i = 0; i < m->groups; i++)
        if (strcmp(m->group[i].folder, folder) == 0)
            return &m->group[i];
    return NULL;
}

/* ---- entries ---- */

static asif_manifest_file *new_file(asif_manifest *m, const char *name) {
    if (!asif_grow(m->context, &m->file, m->files, &m->file_room, sizeof *m->file))
        return NULL;
    asif_manifest_file *file = &m->file[m->files];
    *file = (asif_manifest_file){.name = asif_strdup(m->context, name)};
    m->files += file->name != NULL;
    return file->name ? file : NULL;
}

asif_status asif_manifest_add(asif_manifest *m, const char *name, const void *bytes, uint64_t length,
                              asif_error *error) {
    if (!asif_manifest_plain(name))
        return asif_fail(error, ASIF_EDOMAIN, "'%s' is not a name for a file in a folder of results",
                         asif_show(name).text);
    const asif_manifest_file *known = asif_manifest_find(m, name);
    asif_manifest_file *file = known ? &m->file[known - m->file] : new_file(m, name);
    if (!file)
        return asif_fail_memory(error);
    file->bytes = length;
    asif_digest_bytes(file->digest, bytes, length);
    return ASIF_OK;
}

asif_status asif_manifest_add_group(asif_manifest *m, const char *value, const char *folder, const char *key,
                                    asif_error *error) {
    if (!asif_grow(m->context, &m->group, m->groups, &m->group_room, sizeof *m->group))
        return asif_fail_memory(error);
    asif_manifest_group *group = &m->group[m->groups];
    *group = (asif_manifest_group){asif_strdup(m->context, value), asif_strdup(m->context, folder), ""};
    asif_format(group->key, sizeof group->key, "%s", key ? key : "");
    m->groups++;
    return group->value && group->folder ? ASIF_OK : asif_fail_memory(error);
}

void asif_manifest_free(asif_manifest *m) {
    for (uint64_t i = 0; i < m->files; i++)
        asif_free(m->context, m->file[i].name);
    for (uint64_t i = 0; i < m->groups; i++) {
        asif_free(m->context, m->group[i].value);
        asif_free(m->context, m->group[i].folder);
    }
    asif_free(m->context, m->file);
    asif_free(m->context, m->group);
    asif_free(m->context, m->by);
    *m = (asif_manifest){.context = m->context};
}

/* ---- JSON ---- */

static void write_files(asif_json *json, const asif_manifest *m) {
    asif_json_array(json, "files");
    for (uint64_t i = 0; i < m->files; i++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "name", m->file[i].name);
        asif_json_count(json, "bytes", m->file[i].bytes);
        asif_json_string(json, "sha256", m->file[i].digest);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void write_groups(asif_json *json, const asif_manifest *m) {
    asif_json_array(json, "groups");
    for (uint64_t i = 0; i < m->groups; i++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "value", m->group[i].value);
        asif_json_string(json, "folder", m->group[i].folder);
        asif_json_string(json, "key", m->group[i].key);
        asif_json_end(json);
    }
    asif_json_end(json);
}

asif_status asif_manifest_text(char **out, uint64_t *length, const asif_manifest *m, asif_error *error) {
    asif_text text = {.context = m->context};
    asif_json json;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    asif_json_count(&json, "manifest", VERSION);
    asif_json_string(&json, "key", m->key);
    if (m->by)
        asif_json_string(&json, "by", m->by);
    if (m->by)
        write_groups(&json, m);
    else
        write_files(&json, m);
    asif_json_end(&json);
    *length = text.length;
    return asif_text_finish(out, &text, error);
}

/* ---- reading ---- */

static const char *text_in(const asif_yaml *map, const char *key) {
    const asif_yaml *node = map->kind == ASIF_YAML_MAP ? asif_yaml_get(map, key) : NULL;
    return node && node->kind == ASIF_YAML_SCALAR ? node->text : NULL;
}

static bool read_digest(char *out, const char *text) {
    if (!text || strlen(text) != ASIF_DIGEST_SIZE - 1 ||
        strspn(text, "0123456789abcdef") != ASIF_DIGEST_SIZE - 1)
        return false;
    memcpy(out, text, ASIF_DIGEST_SIZE);
    return true;
}

/* Read an entry of a file. False: it is not one. Without memory, the result is true and m->files does not
 * grow. */
static bool read_file(asif_manifest *m, const asif_yaml *item) {
    const char *name = text_in(item, "name"), *bytes = text_in(item, "bytes");
    double size = 0;
    char digest[ASIF_DIGEST_SIZE];
    if (!name || !asif_manifest_plain(name) || asif_manifest_find(m, name) || !bytes ||
        !asif_number_read(bytes, strlen(bytes), &size) || !(size >= 0 && size <= MOST_BYTES) ||
        size != floor(size) || !read_digest(digest, text_in(item, "sha256")))
        return false;
    asif_manifest_file *file = new_file(m, name);
    if (file) {
        file->bytes = (uint64_t)size;
        memcpy(file->digest, digest, sizeof digest);
    }
    return true;
}

static bool read_group(asif_manifest *m, const asif_yaml *item, asif_status *status, asif_error *error) {
    const char *value = text_in(item, "value"), *folder = text_in(item, "folder");
    char key[ASIF_DIGEST_SIZE];
    if (!value || !folder || !asif_manifest_plain(folder) || asif_manifest_find_group(m, folder) ||
        !read_digest(key, text_in(item, "key")))
        return false;
    *status = asif_manifest_add_group(m, value, folder, key, error);
    return true;
}

static bool read_list(asif_manifest *m, const asif_yaml *list, asif_status *status, asif_error *error) {
    if (!list || list->kind != ASIF_YAML_LIST)
        return false;
    for (uint32_t i = 0; *status == ASIF_OK && i < list->count; i++) {
        if (m->by ? !read_group(m, list->item[i], status, error) : !read_file(m, list->item[i]))
            return false;
        if (!m->by && m->files != i + 1)
            *status = asif_fail_memory(error);
    }
    return true;
}

static bool read_root(asif_manifest *m, const asif_yaml *root, asif_status *status, asif_error *error) {
    const char *version = root->kind == ASIF_YAML_MAP ? text_in(root, "manifest") : NULL;
    if (!version || strcmp(version, "1") != 0 || !text_in(root, "asif") ||
        !read_digest(m->key, text_in(root, "key")))
        return false;
    const char *by = text_in(root, "by");
    if (by && !(m->by = asif_strdup(m->context, by)))
        *status = asif_fail_memory(error);
    return *status != ASIF_OK || read_list(m, asif_yaml_get(root, by ? "groups" : "files"), status, error);
}

asif_status asif_manifest_read(asif_manifest *out, const asif_context *context, const char *text,
                               uint64_t length, const char *path, asif_error *error) {
    asif_yaml_document *document = NULL;
    *out = (asif_manifest){.context = context};
    asif_status status = asif_yaml_read(&document, context, text, length, path, error);
    if (status == ASIF_ENOMEM)
        return status;
    bool good = status == ASIF_OK && read_root(out, asif_yaml_root(document), &status, error);
    asif_yaml_free(document);
    if (good)
        return status;
    asif_manifest_free(out);
    asif_fail(error, ASIF_EPARSE, "this is not a list of the files of a fit");
    asif_error_at(error, path, 0, 0);
    return ASIF_EPARSE;
}
