/* Values of a key below a node of a document, with a result also where there is no such key. */
#include "base/data/yaml.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

const asif_yaml *asif_yaml_part(const asif_yaml *node, const char *key) {
    return node && node->kind == ASIF_YAML_MAP ? asif_yaml_get(node, key) : NULL;
}

bool asif_is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

const asif_yaml *asif_yaml_list(const asif_yaml *node, const char *key) {
    const asif_yaml *list = asif_yaml_part(node, key);
    return list && list->kind == ASIF_YAML_LIST ? list : NULL;
}

const char *asif_yaml_text(const asif_yaml *node, const char *key) {
    const asif_yaml *part = asif_yaml_part(node, key);
    if (!part || part->kind != ASIF_YAML_SCALAR || (!part->quoted && strcmp(part->text, "null") == 0))
        return NULL;
    return part->text;
}

double asif_yaml_value(const asif_yaml *node, const char *key) {
    const char *text = asif_yaml_text(node, key);
    double value;
    return text && asif_number_read(text, strlen(text), &value) ? value : NAN;
}

bool asif_yaml_flag(const asif_yaml *node, const char *key) {
    const char *text = asif_yaml_text(node, key);
    return text && strcmp(text, "true") == 0;
}
