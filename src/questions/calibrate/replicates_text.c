#include "questions/calibrate/replicates_text.h"

#include "base/error.h"
#include "render/report_options.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

#define EXPECTED 0.9 /* share of intervals that contain the truth */
#define AWAY 3       /* standard errors from which a share is not by chance */

static asif_status read(asif_replicates_report *out, const char *json, uint64_t length, const char *name,
                        const char *command, asif_error *error) {
    ASIF_TRY(asif_shown_read(&out->document, out->context, json, length, name, error));
    out->root = asif_yaml_root(out->document);
    out->parameters = asif_yaml_part(out->root, "parameters");
    const char *found = asif_yaml_text(out->root, "command");
    if (found && strcmp(found, command) == 0 && out->parameters && out->parameters->kind == ASIF_YAML_MAP)
        return ASIF_OK;
    asif_fail(error, ASIF_EPARSE, "this is not what `asif %s --json` prints", command);
    asif_error_at(error, name, out->root->line, out->root->column);
    return ASIF_EPARSE;
}

asif_status asif_replicates_text(char **out, const asif_context *context, const char *json, uint64_t length,
                                 const char *name, const char *command,
                                 void (*write)(asif_text *, const asif_replicates_report *),
                                 const asif_report_options *options, asif_error *error) {
    asif_report_options filled;
    asif_replicates_report report = {.context = context};
    asif_text text = {.context = context};
    *out = NULL;
    ASIF_TRY(asif_report_fill(&filled, options, error));
    asif_status status = read(&report, json, length, name, command, error);
    report.unicode = filled.unicode;
    report.width = filled.width;
    if (status == ASIF_OK) {
        if (filled.json)
            asif_text_add_n(&text, json, length);
        else
            write(&text, &report);
        status = asif_text_finish(out, &text, error);
    }
    asif_yaml_free(report.document);
    return status;
}

static void add_count(asif_text *words, const asif_replicates_report *report, const asif_yaml *node,
                      const char *key, const char *one, const char *many) {
    char cell[ASIF_CELL_SIZE];
    double count = asif_yaml_value(node, key);
    asif_text_addf(words, "%s%s %s", report->unicode ? " \xc2\xb7 " : ", ",
                   asif_count_text(cell, (uint64_t)fmax(0, count)), count == 1 ? one : many);
}

const asif_yaml *asif_replicates_people(const asif_replicates_report *report) {
    return asif_yaml_part(report->root, "people");
}

const char *asif_replicates_noun(const asif_replicates_report *report) {
    return asif_replicates_people(report) ? "populations" : "agents";
}

void asif_replicates_add_people(asif_text *text, const asif_replicates_report *report) {
    const asif_yaml *people = asif_replicates_people(report);
    double held = asif_yaml_value(people, "held"), error = asif_yaml_value(people, "held_se");
    double off = (held - EXPECTED) / error;
    char words[256];
    if (isnan(held))
        return;
    asif_format(words, sizeof words,
                "The 90 %% intervals of people contain the truth in %.1f %% of the cases%s.", 100 * held,
                off < -AWAY  ? ", which is too rare"
                : off > AWAY ? ", which is too often"
                             : "");
    asif_replicates_point(text, report, words);
}

void asif_replicates_header(asif_text *text, const asif_replicates_report *report) {
    asif_text words = {.context = report->context};
    const asif_yaml *people = asif_replicates_people(report);
    const char *title = asif_yaml_text(report->root, "title"),
               *method = asif_yaml_text(report->root, "method");
    asif_text_add(&words, asif_shown_title(title));
    if (people) {
        add_count(&words, report, report->root, "done", "population", "populations");
        add_count(&words, report, people, "people", "person each", "people each");
        add_count(&words, report, report->root, "episodes", "episode of each person",
                  "episodes of each person");
    } else {
        add_count(&words, report, report->root, "done", "agent", "agents");
        add_count(&words, report, report->root, "episodes", "episode each", "episodes each");
        asif_text_addf(&words, "%s%s", report->unicode ? " \xc2\xb7 " : ", ", method ? method : "");
    }
    asif_clean(words.data);
    asif_add_wrapped(text, "", 0, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

void asif_replicates_name(asif_table *table, const asif_replicates_report *report, uint32_t i) {
    const asif_yaml *node = report->parameters->item[i];
    const char *name = report->parameters->key[i]->text, *parameter = asif_yaml_text(node, "parameter");
    const asif_summary_number number = {
        .name = name, .parameter = parameter ? parameter : name, .label = asif_yaml_text(node, "label")};
    asif_text words = {.context = report->context};
    char cell[ASIF_CELL_SIZE];
    asif_text_add(&words, asif_parameter_in_logs(number.parameter) ? "log " : "");
    asif_summary_phrase(&words, &number);
    asif_label_cut(cell, words.data ? words.data : "", 24, report->unicode);
    asif_clean(cell);
    asif_table_cell(table, cell);
    table->cells.failed |= words.failed;
    asif_text_free(&words);
}

char *asif_replicates_held(char *buffer, const asif_yaml *number) {
    const asif_yaml *coverage = asif_yaml_part(number, "coverage");
    asif_format(buffer, ASIF_CELL_SIZE, "%.0f of %.0f", asif_yaml_value(coverage, "held"),
                asif_yaml_value(coverage, "of"));
    return buffer;
}

char *asif_replicates_interval(char *buffer, const asif_yaml *number) {
    const asif_yaml *coverage = asif_yaml_part(number, "coverage");
    double low = asif_yaml_value(coverage, "low"), high = asif_yaml_value(coverage, "high");
    buffer[0] = 0;
    if (!isnan(low) && !isnan(high))
        asif_format(buffer, ASIF_CELL_SIZE, "%.0f-%.0f %%", 100 * low, 100 * high);
    return buffer;
}

void asif_replicates_point(asif_text *text, const asif_replicates_report *report, const char *words) {
    asif_add_wrapped(text, "  -", 4, words, report->width);
}

static void add_if(asif_text *text, const asif_replicates_report *report, double count, const char *format) {
    char words[256];
    if (!(count > 0))
        return;
    asif_format(words, sizeof words, format, count);
    asif_replicates_point(text, report, words);
}

void asif_replicates_trust(asif_text *text, const asif_replicates_report *report) {
    const asif_yaml *chains = asif_yaml_part(report->root, "chains");
    double failed = asif_yaml_value(report->root, "failed"), few = asif_yaml_value(chains, "low_ess");
    double apart = asif_yaml_value(chains, "high_rhat"), again = asif_yaml_value(chains, "run_again");
    const char *failure = asif_yaml_text(report->root, "failure");
    bool draws = chains && chains->kind == ASIF_YAML_MAP;
    asif_text_add(text, "\nTRUST\n");
    add_if(text, report, failed,
           asif_replicates_people(report)
               ? "Populations that could not be simulated, or were refused, and are left out: %.0f."
               : "Agents that could not be simulated or fitted, and are left out: %.0f.");
    if (failure) {
        asif_text words = {.context = report->context};
        asif_text_addf(&words, "The reason for one of them: %s", failure);
        asif_clean(words.data);
        asif_replicates_point(text, report, words.data ? words.data : "");
        text->failed |= words.failed;
        asif_text_free(&words);
    }
    add_if(text, report, few,
           "Fits whose effective sample size stayed too small, however long they ran: %.0f.");
    add_if(text, report, apart, "Fits whose chains disagree (R-hat above 1.1), however long they ran: %.0f.");
    if (draws && again > 0)
        add_if(text, report, again, "Fits that were run again, in other coordinates or for longer: %.0f.");
    if (draws && !(few > 0) && !(apart > 0))
        asif_replicates_point(text, report, "All chains converged.");
    if (!draws && !(failed > 0))
        asif_replicates_point(text, report, "All fits finished. Their intervals are normal approximations.");
}
