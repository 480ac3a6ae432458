/* The differences between groups, if the page has the answer of `asif compare`: with their intervals, and
 * without counts. */
#include "report/page/page.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *word;
} measures[] = {
    {"decisions", "decisions in an episode"},
    {"wrong", "share of wrong final decisions"},
    {"utility", "utility of an episode"},
    {"not_ended", "share of episodes that nothing ends"},
};

/* Whether groups are shown by name; only then can they be matched with those of the comparison. */
static bool are_named(const asif_source *source) {
    for (uint32_t g = 0; g < source->fits; g++)
        if (source->fit[g].name != source->fit[g].view.group_value)
            return false;
    return true;
}

/* The name of a row; NULL: the row is not shown, because it is unknown or another row says the same. */
static const char *word_of(const asif_yaml *row) {
    const char *name = asif_yaml_text(row, "name");
    if (asif_yaml_text(row, "parameter")) {
        asif_summary_number number = {.name = name,
                                      .parameter = asif_yaml_text(row, "parameter"),
                                      .label = asif_yaml_text(row, "label")};
        const char *word = asif_summary_word(&number);
        return strcmp(word, "utility") == 0 ? number.parameter : word;
    }
    if (asif_yaml_flag(row, "action"))
        return asif_yaml_text(row, "same_as") ? NULL : name;
    for (size_t i = 0; name && i < sizeof measures / sizeof *measures; i++)
        if (strcmp(measures[i].name, name) == 0)
            return measures[i].word;
    return NULL;
}

static void add_group(asif_html_table *table, const char *word, const asif_yaml *first,
                      const asif_yaml *group) {
    const asif_yaml *difference = asif_yaml_part(group, "difference");
    const char *name = asif_yaml_text(group, "group"), *differs = asif_yaml_text(difference, "differs");
    double low = asif_yaml_value(difference, "q05"), high = asif_yaml_value(difference, "q95");
    double width = high - low, larger = asif_yaml_value(difference, "larger");
    char cell[ASIF_CELL_SIZE];
    asif_html_cell(table, word);
    asif_html_cell(table, name ? name : "");
    asif_html_cell(table, asif_summary_digits(cell, asif_yaml_value(first, "q50"), width));
    asif_html_cell(table, asif_summary_digits(cell, asif_yaml_value(group, "q50"), width));
    asif_html_cell(table, asif_summary_digits(cell, asif_yaml_value(difference, "q50"), width));
    asif_html_cell(table, asif_summary_range(cell, low, high));
    asif_html_cell(table, isnan(larger) ? "" : asif_percent_text(cell, larger));
    asif_html_cell(table, differs ? differs : "");
}

static bool has_difference(const asif_yaml *group) {
    const asif_yaml *difference = asif_yaml_part(group, "difference");
    return difference && difference->kind == ASIF_YAML_MAP;
}

static void add_rows(asif_page *page, const char *caption, const asif_yaml *rows) {
    static const char *const heads[] = {"",           "group",         "first group", "this group",
                                        "difference", "90 % interval", "larger",      "differs"};
    asif_html_table table;
    if (!rows || rows->count == 0)
        return;
    asif_html_table_begin(&table, &page->html, caption, sizeof heads / sizeof *heads, heads, 0x7c);
    for (uint32_t i = 0; i < rows->count; i++) {
        const asif_yaml *groups = asif_yaml_list(rows->item[i], "groups");
        const char *word = word_of(rows->item[i]);
        const asif_yaml *first = NULL;
        for (uint32_t g = 0; groups && g < groups->count; g++)
            if (!has_difference(groups->item[g]))
                first = groups->item[g];
        for (uint32_t g = 0; word && first && g < groups->count; g++)
            if (groups->item[g] != first)
                add_group(&table, word, first, groups->item[g]);
    }
    asif_html_table_end(&table);
}

void asif_page_compare_groups(asif_page *page) {
    const asif_source_extra *extra = asif_source_find(page->source, "contrast");
    if (!extra || page->source->fits < 2 || !are_named(page->source))
        return;
    const asif_yaml *behaviour = asif_yaml_part(extra->root, "behaviour");
    const char *first = asif_yaml_text(extra->root, "first");
    asif_html_element(&page->html, "h3", "How the groups differ");
    asif_html_paragraph(
        &page->html,
        "Each group against %s, by simulation of the fitted agents. Larger: the probability that "
        "the number is larger than there. Differs: that is at least 99 %% either way, adjusted for the "
        "length of the table.",
        first ? first : "the first");
    const asif_yaml *compared = asif_yaml_list(extra->root, "groups");
    bool subjects = false;
    for (uint32_t g = 0; compared && g < compared->count; g++)
        subjects |= asif_is(asif_yaml_text(compared->item[g], "judged_by"), "subjects");
    if (subjects)
        asif_html_paragraph(&page->html,
                            "Differences are judged against the spread between subjects, because the "
                            "episodes of one person are alike.");
    add_rows(page, "What they do, each group with the cases it had", asif_yaml_list(behaviour, "own_cases"));
    add_rows(page, "What they would do with the same cases", asif_yaml_list(behaviour, "same_cases"));
    add_rows(page, "As if", asif_yaml_list(extra->root, "parameters"));
}
