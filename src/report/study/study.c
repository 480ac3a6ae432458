#include "report/study/study.h"

#include "base/error.h"
#include "base/memory.h"
#include "planners/planner.h"
#include "render/report_options.h"
#include "render/table.h"
#include "render/words/shown_names.h"
#include "setting/setting.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define HEADING 14       /* columns of the headings on the left */
#define LABEL_HEADING 30 /* columns of a name that has a label */

static void add_given(asif_text *text, const asif_study_report *report) {
    const asif_theta *theta = asif_study_theta(report->study);
    asif_text words = {.context = report->context};
    char number[ASIF_CELL_SIZE];
    double alpha = NAN;
    asif_theta_get(theta, "alpha", &alpha, NULL);
    for (uint32_t i = 0; i < asif_theta_count(theta); i++) {
        const char *name = asif_theta_name(theta, i);
        double value;
        if (asif_theta_get(theta, name, &value, NULL) != ASIF_OK || isnan(value) ||
            (strcmp(name, "act_alpha") == 0 && value == alpha))
            continue;
        asif_text_addf(&words, "%s%s=%s", words.length ? ", " : "", name, asif_short_number(number, value));
    }
    asif_add_wrapped(text, "  assumed", HEADING, words.data ? words.data : "nothing", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

static void add_estimated(asif_text *text, const asif_study_report *report) {
    asif_text words = {.context = report->context};
    asif_error error = ASIF_ERROR_INIT;
    const asif_study_parameter *parameter;
    char number[ASIF_CELL_SIZE];
    uint32_t reported = 0;
    asif_estimates *estimates = NULL;
    if (asif_study_estimates(report->study, NULL, 0) > 0)
        estimates = asif_study_new_estimates(report, &error);
    for (uint32_t i = 0; (parameter = asif_study_parameter_get(report->study, i)); i++) {
        const char *prior = NULL;
        if (!parameter->learn)
            continue;
        if (words.length)
            asif_text_add(&words, ", ");
        asif_study_estimated(report, estimates, parameter, &reported, &words, &prior);
        if (strcmp(parameter->name, "beta") == 0 && prior)
            asif_text_add(&words, " as optimism");
        if (prior)
            asif_text_addf(&words, " ~ %s", prior);
        if (parameter->negative)
            asif_text_add(&words, " (negative)");
        if (!isnan(parameter->standard))
            asif_text_addf(&words, " (standard %s)", asif_short_number(number, parameter->standard));
    }
    asif_add_wrapped(text, "  to estimate", HEADING, words.data ? words.data : "nothing", report->width);
    if (error.status != ASIF_OK)
        asif_add_wrapped(text, "  but", HEADING, error.message, report->width);
    text->failed |= words.failed || error.status == ASIF_ENOMEM;
    asif_estimates_free(estimates);
    asif_text_free(&words);
}

/* Add the labels: "  action monitor  test again. The patient is tested." */
static void add_labels(asif_text *text, const asif_study_report *report) {
    const asif_study_label *label;
    for (uint32_t i = 0; (label = asif_study_label_get(report->study, i)); i++) {
        asif_text words = {.context = report->context}, heading = {.context = report->context};
        if (i == 0)
            asif_text_add(text, "\nLABELS, which results show in place of the names\n");
        asif_text_addf(&heading, "  %s %s", asif_named_text(label->kind), label->name);
        asif_text_add(&words, label->label ? label->label : label->name);
        if (label->unit)
            asif_text_addf(&words, " (%s)", label->unit);
        if (label->sentence)
            asif_text_addf(&words, ": %s", label->sentence);
        asif_clean(words.data);
        asif_clean(heading.data);
        asif_add_wrapped(text, heading.data ? heading.data : "", LABEL_HEADING, words.data ? words.data : "",
                         report->width);
        text->failed |= words.failed || heading.failed;
        asif_text_free(&words);
        asif_text_free(&heading);
    }
}

/* Add how many beliefs lattices of other resolutions have. */
static void add_resolutions(asif_text *text, const asif_study_report *report) {
    static const uint32_t resolutions[] = {10, 20, 50, 100, 200};
    asif_text words = {.context = report->context};
    char count[ASIF_CELL_SIZE];
    for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; i++) {
        double nodes = asif_study_beliefs(report, resolutions[i]);
        if (nodes < 1e9)
            asif_text_addf(&words, "%s%s %s%" PRIu32, words.length ? ", " : "",
                           asif_count_text(count, (uint64_t)nodes),
                           words.length ? "with " : "with resolution ", resolutions[i]);
    }
    asif_add_wrapped(text, "  or", HEADING, words.data ? words.data : "very many", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

static void add_computation(asif_text *text, const asif_study_report *report) {
    const asif_plan_options *solver = asif_study_solver(report->study);
    char count[ASIF_CELL_SIZE], bytes[ASIF_CELL_SIZE], tol[ASIF_CELL_SIZE], words[2 * ASIF_CELL_SIZE];
    double nodes = asif_study_nodes(report);
    asif_text_add(text, "\nWHAT IT TAKES\n");
    if (nodes < 1e15)
        asif_count_text(count, (uint64_t)nodes);
    else
        asif_short_number(count, nodes);
    if (report->seen)
        asif_text_addf(text, "  states      %s\n", count);
    else if (asif_study_reached(report->study))
        asif_format(words, sizeof words, "%s, all that can be reached from the start", count);
    else
        asif_format(words, sizeof words, "%s of %s, %" PRIu32 " interval%s on an edge%s",
                    asif_has_place(report->spec) ? "lattices" : "a lattice", count,
                    asif_study_resolution(report), asif_study_resolution(report) == 1 ? "" : "s",
                    solver->beliefs == ASIF_BELIEFS_GRADED ? ", finer near certainty" : "");
    if (!report->seen)
        asif_add_wrapped(text, "  beliefs", HEADING, words, report->width);
    if (!report->seen && !asif_study_reached(report->study) && asif_study_resolution(report) > 1)
        add_resolutions(text, report);
    double needed = asif_study_bytes(report);
    asif_format(words, sizeof words, "at most about %s%s", asif_bytes_text(bytes, needed),
                needed > (double)solver->memory_limit ? ", MORE THAN THE LIMIT: lower the resolution" : "");
    asif_add_wrapped(text, "  memory", HEADING, words, report->width);
    asif_text_addf(text, "  tolerance   %s\n", asif_short_number(tol, solver->tol));
}

/* Add the preset. A class of the paper's Table 1 also says what is estimated; an agent of Table 4 does
 * not. */
static void add_preset(asif_text *text, const asif_study_report *report, const asif_preset_info *preset) {
    char words[400];
    asif_format(words, sizeof words, "%s: %s (%s of Table %s)%s%s", preset->name, preset->summary,
                preset->paper, preset->inverse ? "1" : "4", preset->estimated ? "; it estimates " : "",
                preset->estimated ? preset->estimated : "");
    asif_add_wrapped(text, "  preset", HEADING, words, report->width);
}

static void add_text(asif_text *text, const asif_study_report *report) {
    const char *title = asif_study_title(report->study), *preset = asif_study_preset(report->study);
    asif_add_wrapped(text, "", 0, asif_shown_title(title), report->width);
    asif_text_add(text, "\n");
    if (asif_study_caveat(report->study)) {
        asif_add_wrapped(text, "  caveat", HEADING, asif_study_caveat(report->study), report->width);
        asif_text_add(text, "\n");
    }
    if (report->spec->seen_columns)
        asif_study_parts(text, report);
    else
        asif_study_labels(text, report, ASIF_LABEL_STATE, "  states");
    asif_study_labels(text, report, ASIF_LABEL_ACTION, "  actions");
    if (report->seen)
        asif_text_add(text, "  observations  none: the agent sees the state\n");
    else
        asif_study_labels(text, report, ASIF_LABEL_SHOWN, "  observations");
    asif_study_environment(text, report);

    asif_text_add(text, "\nTHE AGENT\n");
    if (preset)
        add_preset(text, report, asif_preset_named(preset));
    asif_text_addf(text, "  planner     %s\n", asif_study_planner(report->study));
    asif_study_worlds(text, report);
    const asif_planner_ops *planner = asif_planner_find(asif_study_planner(report->study), NULL);
    if (!planner || !planner->narrow.means) {
        asif_text_add(text, !planner || planner->info.purposeful ? "\nWHAT IT WANTS\n" : "\nITS SCORES\n");
        asif_study_utility(text, report);
    }
    asif_text_add(text, "\nPARAMETERS\n");
    add_given(text, report);
    add_estimated(text, report);
    asif_text_addf(text, "  inverse     %s\n", asif_study_inverse(report->study));
    add_labels(text, report);
    add_computation(text, report);
}

asif_status asif_report_study(char **out, const asif_context *context, const asif_study *study,
                              const asif_report_options *options, asif_error *error) {
    asif_report_options filled;
    *out = NULL;
    asif_status status = asif_report_fill(&filled, options, error);
    if (status != ASIF_OK)
        return status;
    const asif_setting *setting = asif_study_setting(study);
    const asif_setting_spec *spec = asif_setting_get(setting);
    asif_study_report report = {
        .context = context,
        .study = study,
        .setting = setting,
        .spec = spec,
        .seen = spec->observations == 0,
        .unicode = filled.unicode,
        .width = filled.width,
    };
    asif_text text = {.context = context};
    if (filled.json)
        asif_study_json(&text, &report);
    else
        add_text(&text, &report);
    return asif_text_finish(out, &text, error);
}
