/* The comparison of models as text: which model predicts best, and whether that is more than chance. */
#include "questions/compare/models/compare_models.h"
#include "render/words/fit_numbers.h"

#include "render/telling.h"

#include <math.h>
#include <string.h>

#define NAME_WIDTH 28

typedef struct {
    asif_text *text;
    const asif_context *context;
    const asif_yaml *root, *models;
    const char *unit;
    bool unicode;
    uint32_t width;
} page;

static const asif_yaml *part_of(const page *p, uint32_t i, const char *key) {
    const asif_yaml *part = asif_yaml_part(p->models->item[i], key);
    return part && part->kind == ASIF_YAML_MAP ? part : NULL;
}

static const char *name_of(const page *p, uint32_t i) {
    const char *name = asif_yaml_text(p->models->item[i], "name");
    return name ? name : "?";
}

static char *count_of(char *buffer, const asif_yaml *node, const char *key) {
    double count = asif_yaml_value(node, key);
    return asif_count_text(buffer, count > 0 ? (uint64_t)count : 0);
}

static void add_line(const page *p, const char *mark, asif_text *words) {
    asif_add_words(p->text, mark, (uint32_t)strlen(mark), words, p->width);
}

static void add_header(const page *p) {
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    const char *dot = p->unicode ? " \xc2\xb7 " : ", ";
    asif_text words = {.context = p->context};
    asif_text_addf(&words, "%u model%s%s%s %ss%s%s decisions", p->models->count,
                   p->models->count == 1 ? "" : "s", dot, count_of(a, p->root, "units"), p->unit, dot,
                   count_of(b, p->root, "decisions"));
    add_line(p, "", &words);
}

/* ---- tables ---- */

static void number_cell(asif_table *table, double number) {
    char cell[ASIF_CELL_SIZE];
    if (isnan(number))
        asif_table_cell(table, "");
    else {
        asif_format(cell, sizeof cell, "%.1f", number);
        if (strcmp(cell, "-0.0") == 0)
            asif_format(cell, sizeof cell, "0.0");
        asif_table_cell(table, cell);
    }
}

static void score_cells(asif_table *table, const asif_yaml *score, const char *elpd) {
    const char *predicts = asif_yaml_text(score, "predicts");
    bool best = predicts && strcmp(predicts, "best") == 0;
    number_cell(table, asif_yaml_value(score, elpd));
    number_cell(table, asif_yaml_value(score, "se"));
    number_cell(table, best ? NAN : asif_yaml_value(score, "difference"));
    number_cell(table, best ? NAN : asif_yaml_value(score, "difference_se"));
}

static void name_cell(const page *p, asif_table *table, uint32_t i) {
    char cell[ASIF_CELL_SIZE];
    asif_label_cut(cell, name_of(p, i), NAME_WIDTH, p->unicode);
    asif_clean(cell);
    asif_table_cell(table, cell);
}

static void shape_cell(asif_table *table, const asif_yaml *loo) {
    const asif_yaml *k = asif_yaml_part(loo, "pareto_k");
    char cell[ASIF_CELL_SIZE];
    double above = asif_yaml_value(k, "above");
    if (isnan(above))
        asif_table_cell(table, "not known");
    else
        asif_table_cell(table, above > 0 ? asif_count_text(cell, (uint64_t)above) : "none");
}

static void add_loo(const page *p) {
    static const char *const heads[] = {"", "elpd", "se", "difference", "se", "p", "k too high"};
    asif_table table;
    asif_text words = {.context = p->context};
    asif_text_addf(&words, "(each %s left out in turn; elpd in nats, higher is better)", p->unit);
    asif_text_add(p->text, "\n");
    add_line(p, "PREDICTION ", &words);
    asif_table_init(&table, p->context, 7);
    table.left = 1;
    for (size_t i = 0; i < 7; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < p->models->count; i++) {
        const asif_yaml *loo = part_of(p, i, "loo");
        name_cell(p, &table, i);
        score_cells(&table, loo, "elpd_loo");
        number_cell(&table, asif_yaml_value(loo, "p_loo"));
        shape_cell(&table, loo);
    }
    asif_table_end(&table, p->text);
}

static void add_future(const page *p) {
    const asif_yaml *future = asif_yaml_part(p->root, "future");
    static const char *const heads[] = {"", "elpd", "se", "difference", "se", "refits"};
    char cell[ASIF_CELL_SIZE];
    asif_table table;
    if (!future || future->kind != ASIF_YAML_MAP)
        return;
    double first = asif_yaml_value(future, "given_first"), steps = asif_yaml_value(future, "steps");
    asif_text words = {.context = p->context};
    asif_text_addf(&words, "(given the first %s of each episode, the next, and so on, ",
                   asif_count_text(cell, (uint64_t)fmax(0, first)));
    asif_text_addf(&words, "%s step%s: ", asif_count_text(cell, (uint64_t)fmax(0, steps)),
                   steps == 1 ? "" : "s");
    asif_text_addf(&words, "%s decisions)", count_of(cell, future, "decisions"));
    asif_text_add(p->text, "\n");
    add_line(p, "LATER DECISIONS ", &words);
    asif_table_init(&table, p->context, 6);
    table.left = 1;
    for (size_t i = 0; i < 6; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < p->models->count; i++) {
        const asif_yaml *score = part_of(p, i, "future");
        if (!score)
            continue;
        name_cell(p, &table, i);
        score_cells(&table, score, "elpd_lfo");
        asif_table_cell(&table, count_of(cell, score, "refits"));
    }
    asif_table_end(&table, p->text);
}

/* ---- words ---- */

/* Add the names of the models with this verdict: "a, b and c"; returns their number. */
static uint32_t add_names(const page *p, asif_text *words, const char *part, const char *predicts) {
    uint32_t count = 0, told = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < p->models->count; i++) {
            const char *word = asif_yaml_text(part_of(p, i, part), "predicts");
            if (!word || strcmp(word, predicts) != 0)
                continue;
            if (pass == 0)
                count++;
            else
                asif_text_addf(words, "%s%s",
                               told == 0           ? ""
                               : told + 1 == count ? " and "
                                                   : ", ",
                               name_of(p, i));
            told += pass;
        }
    return count;
}

static void add_verdict(const page *p, const char *part, const char *what) {
    asif_text best = {.context = p->context}, same = {.context = p->context}, words = {.context = p->context};
    if (add_names(p, &best, part, "best") == 0)
        return;
    uint32_t others = add_names(p, &same, part, "about the same");
    asif_text_addf(&words, "%s predicts %s best", best.data ? best.data : "", what);
    if (others)
        asif_text_addf(&words,
                       ", but %s %s about as well: the difference is below 4 nats or 2 standard errors",
                       same.data ? same.data : "", others == 1 ? "does" : "do");
    asif_text_add(&words, ".");
    add_line(p, "  - ", &words);
    uint32_t worse = add_names(p, &words, part, "worse");
    if (worse)
        asif_text_addf(&words, " predict%s %s worse, by more than the uncertainty of the difference.",
                       worse == 1 ? "s" : "", what);
    add_line(p, "  - ", &words);
    p->text->failed |= best.failed || same.failed;
    asif_text_free(&best);
    asif_text_free(&same);
}

static void add_shapes(const page *p, uint32_t i) {
    const asif_yaml *k = asif_yaml_part(part_of(p, i, "loo"), "pareto_k");
    double above = asif_yaml_value(k, "above"), worst = asif_yaml_value(k, "worst");
    char a[ASIF_CELL_SIZE], all[ASIF_CELL_SIZE], unit[ASIF_CELL_SIZE];
    asif_text words = {.context = p->context};
    if (isnan(above))
        asif_text_addf(&words,
                       "For %s, it is not known whether the importance weights can be relied on (Pareto k).",
                       name_of(p, i));
    else if (isnan(worst))
        asif_text_addf(&words, "For %s, all draws give every %s the same probability.", name_of(p, i),
                       p->unit);
    else if (above > 0)
        asif_text_addf(
            &words,
            "For %s, Pareto k is above the threshold of %.2f in %s of %s %ss. The largest is %.2f "
            "(number %s). Its elpd cannot be relied on. More draws, or fewer parameters, may help.",
            name_of(p, i), asif_yaml_value(k, "threshold"), asif_count_text(a, (uint64_t)above),
            count_of(all, p->root, "units"), p->unit, worst, count_of(unit, k, "worst_unit"));
    else
        asif_text_addf(
            &words,
            "For %s, Pareto k is below the threshold of %.2f in all %ss. The largest is %.2f (number %s).",
            name_of(p, i), asif_yaml_value(k, "threshold"), p->unit, worst, count_of(unit, k, "worst_unit"));
    add_line(p, "  - ", &words);
}

static void add_refits(const page *p, uint32_t i) {
    const asif_yaml *future = part_of(p, i, "future");
    double rhat = asif_yaml_value(future, "worst_rhat");
    asif_text words = {.context = p->context};
    if (!(rhat >= 1.05))
        return;
    asif_text_addf(&words,
                   "For %s, refits for later decisions reach an R-hat of %.2f, so their elpd is rough.",
                   name_of(p, i), rhat);
    add_line(p, "  - ", &words);
}

static void add_trust(const page *p) {
    asif_text_add(p->text, "\nTRUST\n");
    for (uint32_t i = 0; i < p->models->count; i++) {
        asif_text words = {.context = p->context};
        const char *trusted = asif_yaml_text(p->models->item[i], "trusted");
        if (trusted && strcmp(trusted, "false") == 0)
            asif_text_addf(&words, "The draws of %s cannot be trusted (see `asif summary`).", name_of(p, i));
        add_line(p, "  - ", &words);
        add_shapes(p, i);
        add_refits(p, i);
    }
}

static bool is_one(const asif_yaml *root) {
    const asif_yaml *models = asif_yaml_list(root, "models");
    return models && models->count > 0;
}

static void tell(asif_text *text, const void *value, const asif_report_options *options) {
    const asif_yaml *root = value, *models = asif_yaml_list(root, "models");
    const char *unit = asif_yaml_text(root, "unit");
    page p = {text, text->context, root, models, unit ? unit : "unit", options->unicode, options->width};
    char what[ASIF_CELL_SIZE];
    asif_format(what, sizeof what, "new %.20ss", p.unit);
    add_header(&p);
    add_loo(&p);
    if (models->count > 1)
        add_verdict(&p, "loo", what);
    add_future(&p);
    if (models->count > 1)
        add_verdict(&p, "future", "later decisions");
    add_trust(&p);
}

asif_status asif_report_compare_models(char **out, const asif_context *context, const char *json,
                                       uint64_t length, const char *name, const asif_report_options *options,
                                       asif_error *error) {
    static const asif_telling telling = {"the text of a comparison of models",
                                         "asif compare DIR... --logs LOGS --json", NULL, is_one, tell};
    return asif_tell(out, context, json, length, name, options, &telling, error);
}
