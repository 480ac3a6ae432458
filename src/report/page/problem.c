/* The section on the decision problem as understood: spaces, dynamics, worlds, utilities, parameters. */
#include "report/page/page.h"

#include "base/memory.h"
#include "planners/planner.h"
#include "report/study/study.h"
#include "setting/setting.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

#define LISTED 200 /* most labels of a list, and most rows or columns of a table */
#define COLUMNS 24
#define WORLDS 8

static const char *label_of(const asif_study_report *report, asif_label_kind kind, uint32_t i, char *buffer) {
    return asif_study_report_label(report, kind, i, buffer);
}

/* ---- spaces ---- */

static const char *remark(const asif_study_report *report, asif_label_kind kind, uint32_t i) {
    if (kind == ASIF_LABEL_ACTION && report->spec->ends && report->spec->ends[i] && report->spec->stops[i])
        return " (ends an episode; nothing follows)";
    if (kind == ASIF_LABEL_ACTION && report->spec->ends && report->spec->ends[i])
        return " (ends an episode)";
    return kind == ASIF_LABEL_STATE && report->spec->terminal && report->spec->terminal[i] ? " (terminal)"
                                                                                           : "";
}

static void add_labels(asif_text *html, const asif_study_report *report, asif_label_kind kind,
                       const char *name) {
    uint32_t count = asif_setting_count(report->setting, kind), shown = count < LISTED ? count : LISTED;
    char buffer[ASIF_LABEL_SIZE], number[ASIF_CELL_SIZE];
    asif_text_addf(html, "<dt>%s</dt>\n<dd>", name);
    for (uint32_t i = 0; i < shown; i++) {
        asif_text_add(html, i ? ", " : "");
        asif_html_label(html, label_of(report, kind, i, buffer));
        asif_text_add(html, remark(report, kind, i));
    }
    if (shown < count)
        asif_text_addf(html, " and %s more", asif_count_text(number, count - shown));
    asif_text_add(html, "</dd>\n");
}

static void add_spaces(asif_text *html, const asif_study_report *report) {
    asif_text_add(html, "<dl>\n");
    add_labels(html, report, ASIF_LABEL_STATE, "States");
    add_labels(html, report, ASIF_LABEL_ACTION, "Actions");
    if (report->seen)
        asif_text_add(html, "<dt>Observations</dt>\n<dd>none: the state is seen</dd>\n");
    else
        add_labels(html, report, ASIF_LABEL_OBSERVATION, "Observations");
    asif_text_add(html, "</dl>\n");
}

/* ---- dynamics ---- */

static void tell(asif_text *html, const asif_study_report *report, const char *words,
                 const asif_matrix *matrix, asif_label_kind columns) {
    char buffer[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    asif_text caption = {.context = report->context};
    asif_text_addf(&caption, "After %s", words);
    if (!matrix || !asif_matrix_small(matrix)) {
        if (matrix)
            asif_text_addf(&caption, " (%s probabilities, too many to show)",
                           asif_count_text(cell, asif_matrix_entries(matrix)));
        asif_html_sentence(html, "p", &caption);
        return;
    }
    char names[COLUMNS][ASIF_LABEL_SIZE];
    const char *heads[COLUMNS + 1] = {""};
    asif_html_table table;
    for (uint32_t j = 0; j < matrix->columns; j++)
        heads[j + 1] = label_of(report, columns, j, names[j]);
    asif_html_table_begin(&table, html, caption.data ? caption.data : "", matrix->columns + 1, heads,
                          ~(uint64_t)1);
    for (uint32_t i = 0; i < (matrix->same_rows ? 1 : matrix->rows); i++) {
        asif_html_cell(&table,
                       matrix->same_rows ? "any state" : label_of(report, ASIF_LABEL_STATE, i, buffer));
        for (uint32_t j = 0; j < matrix->columns; j++)
            asif_html_cell(&table, asif_short_number(cell, asif_matrix_at(matrix, i, j)));
    }
    asif_html_table_end(&table);
    html->failed |= caption.failed;
    asif_text_free(&caption);
}

static void add_distribution(asif_text *html, const asif_study_report *report, const char *what,
                             asif_label_kind kind, const double *p) {
    asif_text words = {.context = report->context};
    asif_text_addf(&words, "%s: ", what);
    if (isnan(p[0]))
        asif_text_add(&words, "to be estimated");
    else
        asif_study_distribution(&words, report, kind, p);
    asif_html_sentence(html, "p", &words);
}

static void add_starts(asif_text *html, const asif_study_report *report, const double *starts,
                       const char *what) {
    const asif_setting_spec *spec = report->spec;
    char buffer[ASIF_LABEL_SIZE];
    if (spec->starts == 1)
        add_distribution(html, report, what, ASIF_LABEL_STATE, starts);
    else if (spec->seen_columns)
        asif_html_paragraph(html, "%s: by %s.", what,
                            spec->seen_columns == spec->condition_columns ? "condition"
                                                                          : "what is seen first");
    else
        asif_html_paragraph(html, "%s: by the column %s of the logs.", what,
                            spec->start_column ? spec->start_column : "");
    for (uint32_t i = 0; spec->starts > 1 && i < spec->starts && i < COLUMNS; i++)
        add_distribution(html, report, label_of(report, ASIF_LABEL_START, i, buffer), ASIF_LABEL_STATE,
                         starts + (uint64_t)i * spec->states);
}

static void add_world(asif_text *html, const asif_study_report *report, uint32_t world, bool differing) {
    asif_study_dynamics(report, world, true, differing, tell, html);
    if (!report->seen)
        asif_study_dynamics(report, world, false, differing, tell, html);
}

static void add_environment(asif_text *html, const asif_study_report *report) {
    asif_html_element(html, "h3", "The environment");
    add_starts(html, report, report->spec->environment_start, "The state at the start");
    if (report->spec->horizon)
        asif_html_paragraph(html, "An episode has at most %u decision%s.", (unsigned)report->spec->horizon,
                            report->spec->horizon == 1 ? "" : "s");
    add_world(html, report, report->spec->worlds, false);
}

/* ---- the agent ---- */

static void add_means(asif_text *html, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    const asif_planner_ops *planner = asif_planner_find(asif_study_planner(report->study), NULL);
    char names[COLUMNS][ASIF_LABEL_SIZE], buffer[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    const char *heads[COLUMNS + 1] = {""};
    asif_html_table table;
    if (!planner || !planner->narrow.means || spec->states > COLUMNS || spec->actions > LISTED)
        return;
    for (uint32_t s = 0; s < spec->states; s++)
        heads[s + 1] = label_of(report, ASIF_LABEL_STATE, s, names[s]);
    asif_html_table_begin(&table, html, "The belief that each action is nearest to", spec->states + 1, heads,
                          ~(uint64_t)1);
    for (uint32_t u = 0; u < spec->actions; u++) {
        const double *mean = asif_theta_distribution(asif_study_theta(report->study), ASIF_MEANS, u);
        asif_html_cell(&table, label_of(report, ASIF_LABEL_ACTION, u, buffer));
        for (uint32_t s = 0; s < spec->states; s++)
            asif_html_cell(&table, isnan(mean[s]) ? "estimated" : asif_short_number(cell, mean[s]));
    }
    asif_html_table_end(&table);
}

static void add_worlds(asif_text *html, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    const double *weight = asif_theta_distribution(asif_study_theta(report->study), ASIF_WORLD_WEIGHTS, 0);
    char cell[ASIF_CELL_SIZE];
    if (spec->worlds == 1 && asif_study_knows(report, 0)) {
        asif_html_paragraph(
            html, "The model assumes that they know the environment: its only world is the one above.");
        return;
    }
    asif_html_paragraph(html, "The model assumes that they consider %u candidate world%s.", spec->worlds,
                        spec->worlds == 1 ? "" : "s");
    for (uint32_t m = 0; m < spec->worlds && m < WORLDS; m++) {
        bool known = asif_study_knows(report, m);
        asif_text words = {.context = report->context};
        asif_text_addf(&words, "World %u, weight %s: ", m + 1,
                       isnan(weight[m]) ? "to be estimated" : asif_percent_text(cell, weight[m]));
        asif_study_world_words(&words, report, m);
        asif_text_add(&words, known                           ? ""
                              : asif_world_share(spec, m) > 0 ? ":"
                                                              : "like the environment, except for this:");
        asif_html_sentence(html, "p", &words);
        if (!known)
            add_world(html, report, m, true);
    }
    if (spec->worlds > WORLDS)
        asif_html_paragraph(html, "And %u worlds more.", spec->worlds - WORLDS);
}

static void tell_class(void *to, const asif_study_report *report, const bool *action,
                       const bool *observation) {
    asif_text words = {.context = report->context};
    asif_study_class_words(&words, report, action, observation);
    asif_html_sentence(to, "p", &words);
}

static void add_agent(asif_text *html, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    const asif_theta *theta = asif_study_theta(report->study);
    const asif_preset_info *preset =
        asif_study_preset(report->study) ? asif_preset_named(asif_study_preset(report->study)) : NULL;
    const double *start = asif_theta_distribution(theta, ASIF_START, 0),
                 *prior = asif_theta_distribution(theta, ASIF_ACTION_PRIOR, 0);
    asif_html_element(html, "h3", "The decision-makers");
    asif_html_paragraph(html, "Planner: %s. Inverse planner: %s.", asif_study_planner(report->study),
                        asif_study_inverse(report->study));
    if (preset)
        asif_html_paragraph(html, "Preset %s: %s (%s of the paper's Table %s).", preset->name,
                            preset->summary, preset->paper, preset->inverse ? "1" : "4");
    if (!asif_study_same_start(spec, start))
        add_starts(html, report, start, "What they believe at the start");
    if (!asif_study_is_uniform(prior, spec->actions))
        add_distribution(html, report, "What they do before anything is weighed", ASIF_LABEL_ACTION, prior);
    if (spec->belief_prior)
        add_distribution(html, report, "What they expect (belief prior)",
                         report->seen ? ASIF_LABEL_STATE : ASIF_LABEL_OBSERVATION, spec->belief_prior);
    if (asif_study_weighs_surprise(report))
        html->failed |= !asif_study_classes(report, tell_class, html);
    add_means(html, report);
    add_worlds(html, report);
}

/* ---- utility ---- */

static void add_utility_table(asif_text *html, const asif_study_report *report, bool by_observation) {
    const asif_setting_spec *spec = report->spec;
    asif_label_kind kind = by_observation ? ASIF_LABEL_OBSERVATION : ASIF_LABEL_STATE;
    bool depends = asif_utility_depends(report, by_observation);
    uint32_t columns = depends ? asif_setting_count(report->setting, kind) : 1;
    char names[COLUMNS][ASIF_LABEL_SIZE], buffer[ASIF_LABEL_SIZE];
    const char *heads[COLUMNS + 1] = {"action", by_observation ? "whatever is seen" : "in every state"};
    asif_html_table table;
    if (spec->actions > LISTED || columns > COLUMNS) {
        asif_html_paragraph(html, "A utility for each of %u actions and %u %s: too many to show.",
                            spec->actions, columns, by_observation ? "observations" : "states");
        return;
    }
    for (uint32_t j = 0; depends && j < columns; j++)
        heads[j + 1] = label_of(report, kind, j, names[j]);
    asif_html_table_begin(&table, html,
                          by_observation ? "Utility of what is seen after an action"
                                         : "Utility of an action in a state",
                          columns + 1, heads, ~(uint64_t)1);
    for (uint32_t u = 0; u < spec->actions; u++) {
        asif_html_cell(&table, label_of(report, ASIF_LABEL_ACTION, u, buffer));
        for (uint32_t j = 0; j < columns; j++) {
            asif_text words = {.context = report->context};
            asif_utility_words(&words, report, by_observation, u, j);
            asif_html_cell_words(&table, &words);
        }
    }
    asif_html_table_end(&table);
}

static void add_utility(asif_text *html, const asif_study_report *report) {
    const asif_planner_ops *planner = asif_planner_find(asif_study_planner(report->study), NULL);
    asif_text points = {.context = report->context};
    bool by_state = asif_utility_has(report, false), by_observation = asif_utility_has(report, true);
    if (planner && planner->narrow.means)
        return;
    asif_html_element(html, "h3", !planner || planner->info.purposeful ? "What they want" : "Their scores");
    if (by_state)
        add_utility_table(html, report, false);
    if (by_observation)
        add_utility_table(html, report, true);
    for (uint64_t i = 0; i < report->spec->terms; i++) {
        asif_text words = {.context = report->context};
        if (report->spec->term[i].by != ASIF_BY_BELIEF)
            continue;
        asif_utility_belief(&words, report, &report->spec->term[i]);
        asif_text_add_n(&points, words.data ? words.data : "", words.length + 1);
        points.failed |= words.failed;
        asif_text_free(&words);
    }
    asif_html_points(html, &points);
    if (!by_state && report->spec->terms == 0)
        asif_html_paragraph(html, "Every utility is 0.");
}

/* ---- parameters ---- */

/* Add the cell of a parameter: "choice randomness (alpha)", or its label and unit: "wrong diagnosis
 * (points)". */
static void add_parameter(asif_html_table *table, const asif_source_fit *fit, const asif_summary_number *n) {
    asif_text words = {.context = fit->fit.context};
    char cell[ASIF_CELL_SIZE];
    asif_summary_phrase(&words, n);
    if (!asif_summary_labelled(n))
        asif_summary_key(cell, n, true);
    else
        asif_format(cell, sizeof cell, "%.20s", n->unit ? n->unit : "");
    if (*cell && words.data && strcmp(words.data, cell) != 0)
        asif_text_addf(&words, " (%s)", cell);
    asif_html_cell_words(table, &words);
}

static void add_parameters(asif_text *html, const asif_source_fit *fit) {
    static const char *const heads[] = {"parameter", "assumed", "prior"};
    const asif_yaml *given = asif_yaml_part(fit->fit.root, "given"),
                    *parameters = asif_yaml_part(fit->fit.root, "parameters");
    char cell[ASIF_CELL_SIZE];
    asif_html_table table;
    asif_html_element(html, "h3", "Parameters");
    asif_html_table_begin(&table, html, "What was assumed, and what was estimated under which prior", 3,
                          heads, 2);
    for (uint32_t i = 0; given && given->kind == ASIF_YAML_MAP && i < given->count; i++) {
        const char *name = given->key[i]->text;
        add_parameter(&table, fit, &(asif_summary_number){.name = name, .parameter = name});
        asif_html_cell(&table, asif_short_number(cell, asif_yaml_value(given, given->key[i]->text)));
        asif_html_cell(&table, "");
    }
    for (uint32_t i = 0; i < fit->fit.numbers; i++) {
        const asif_summary_number *n = &fit->fit.number[i];
        const char *prior = asif_yaml_text(asif_yaml_part(parameters, n->name), "prior");
        add_parameter(&table, fit, n);
        asif_html_cell(&table, "");
        asif_html_cell(&table, prior && !fit->fit.answered ? prior : "estimated without one");
    }
    asif_html_table_end(&table);
}

/* Add the names of the study that have labels, with what the study says about them. */
static void add_names(asif_text *html, const asif_study *study) {
    static const char *const heads[] = {"on this page", "unit", "what it is", "in the study and the logs"};
    const asif_study_label *label;
    asif_html_table table;
    if (!asif_study_label_get(study, 0))
        return;
    asif_html_table_begin(&table, html, "What things are called", 4, heads, 0);
    for (uint32_t i = 0; (label = asif_study_label_get(study, i)); i++) {
        asif_text words = {.context = html->context};
        asif_html_cell(&table, label->label ? label->label : label->name);
        asif_html_cell(&table, label->unit ? label->unit : "");
        asif_html_cell(&table, label->sentence ? label->sentence : "");
        asif_text_addf(&words, "%s %s", asif_named_text(label->kind), label->name);
        asif_html_cell_words(&table, &words);
    }
    asif_html_table_end(&table);
}

asif_status asif_page_problem(asif_page *page, asif_error *error) {
    const asif_source_fit *fit = &page->source->fit[0];
    const asif_setting *setting = asif_study_setting(fit->view.study);
    const asif_setting_spec *spec = asif_setting_get(setting);
    const asif_study_report report = {
        .context = page->context,
        .study = fit->view.study,
        .setting = setting,
        .spec = spec,
        .seen = spec->observations == 0,
        .labelled = true,
        .unicode = true,
        .width = 80,
    };
    (void)error;
    add_spaces(&page->html, &report);
    add_names(&page->html, report.study);
    add_environment(&page->html, &report);
    add_agent(&page->html, &report);
    add_utility(&page->html, &report);
    add_parameters(&page->html, fit);
    return ASIF_OK;
}
