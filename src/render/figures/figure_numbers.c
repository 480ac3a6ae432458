/* Estimated numbers, as read from the JSON of other commands. */
#include "render/figures/figure_numbers.h"

#include <math.h>
#include <string.h>

asif_summary_number asif_figure_number_in(const asif_yaml *map, uint32_t i) {
    const char *name = map->key[i]->text, *parameter = asif_yaml_text(map->item[i], "parameter");
    return (asif_summary_number){.name = name,
                                 .parameter = parameter ? parameter : name,
                                 .label = asif_yaml_text(map->item[i], "label")};
}

bool asif_figure_number_log(const asif_summary_number *number) {
    return asif_parameter_in_logs(number->parameter);
}

void asif_figure_number_name(asif_text *text, const asif_summary_number *number, bool logarithm) {
    const char *word = asif_summary_word(number), *symbol = asif_summary_symbol(number);
    const char *log_of = logarithm ? "log " : "";
    if (strcmp(word, "utility") == 0)
        asif_text_addf(text, "%s%s", log_of, symbol);
    else if (asif_summary_labelled(number))
        asif_text_add(text, word);
    else if (number->label)
        asif_text_addf(text, "%s%s %s", log_of, word, symbol);
    else
        asif_text_addf(text, "%s (%s%s)", word, log_of, symbol);
}

uint32_t asif_figure_count(const asif_yaml *node) {
    return node && node->kind == ASIF_YAML_LIST ? node->count : 0;
}

uint32_t asif_figure_pairs(const asif_yaml *node) {
    return node && node->kind == ASIF_YAML_MAP ? node->count : 0;
}

double asif_figure_scalar(const asif_yaml *node) {
    double number;
    bool read = node && node->kind == ASIF_YAML_SCALAR && node->text &&
                asif_number_read(node->text, strlen(node->text), &number);
    return read ? number : NAN;
}
