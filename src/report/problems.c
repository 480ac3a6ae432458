/* Writes lists of problems, as text or JSON. */
#include "asif/report.h"

#include "base/data/json.h"
#include "render/report_options.h"

#include <inttypes.h>

static const char *const severities[] = {"error", "warning", "note"};

/* Add the rows of a problem that was found in several, such as " (in 13 rows: 13, 109, 260, 301, 402 and 8
 * more)". */
static void add_rows(asif_text *text, const asif_problems *problems, uint32_t i) {
    uint64_t row[ASIF_PROBLEM_ROWS], times = asif_problems_times(problems, i, row);
    if (times < 2)
        return;
    asif_text_addf(text, " (in %" PRIu64 " rows: ", times);
    for (uint32_t k = 0; k < ASIF_PROBLEM_ROWS && k < times; k++)
        asif_text_addf(text, "%s%" PRIu64, k ? ", " : "", row[k]);
    if (times > ASIF_PROBLEM_ROWS)
        asif_text_addf(text, " and %" PRIu64 " more", times - ASIF_PROBLEM_ROWS);
    asif_text_add(text, ")");
}

static void add_line(asif_text *text, const asif_problems *problems, uint32_t i, const asif_error *error,
                     asif_severity severity) {
    if (error->file[0]) {
        asif_text_addf(text, "%s:", error->file);
        if (error->line)
            asif_text_addf(text, "%" PRIu32 ":", error->line);
        if (error->line && error->column)
            asif_text_addf(text, "%" PRIu32 ":", error->column);
        asif_text_add(text, " ");
    } else if (error->line) {
        asif_text_addf(text, "line %" PRIu32 ": ", error->line);
    }
    if (error->row && asif_problems_times(problems, i, NULL) < 2)
        asif_text_addf(text, "row %" PRIu64 ": ", error->row);
    if (severity != ASIF_PROBLEM_ERROR)
        asif_text_addf(text, "%s: ", severities[severity]);
    asif_text_add(text, error->message[0] ? error->message : asif_status_text(error->status));
    add_rows(text, problems, i);
    asif_text_add(text, "\n");
    if (error->hint[0])
        asif_text_addf(text, "  hint: %s\n", error->hint);
}

static void add_object(asif_json *json, const asif_problems *problems, uint32_t i, const asif_error *error,
                       asif_severity severity) {
    uint64_t row[ASIF_PROBLEM_ROWS], times = asif_problems_times(problems, i, row);
    asif_json_object(json, NULL);
    asif_json_string(json, "severity", severities[severity]);
    asif_json_string(json, "file", error->file);
    if (error->line)
        asif_json_count(json, "line", error->line);
    if (error->column)
        asif_json_count(json, "column", error->column);
    if (error->row)
        asif_json_count(json, "row", error->row);
    if (times > 1) {
        asif_json_count(json, "times", times);
        asif_json_array(json, "rows");
        for (uint32_t k = 0; k < ASIF_PROBLEM_ROWS && k < times; k++)
            asif_json_count(json, NULL, row[k]);
        asif_json_end(json);
    }
    asif_json_string(json, "message", error->message);
    asif_json_string(json, "hint", error->hint);
    asif_json_end(json);
}

void asif_problems_json(asif_json *json, const char *key, const asif_problems *problems, bool errors_only) {
    asif_json_array(json, key);
    for (uint32_t i = 0; problems && i < asif_problems_count(problems); i++) {
        asif_severity severity;
        const asif_error *problem = asif_problems_get(problems, i, &severity);
        if (severity == ASIF_PROBLEM_ERROR || !errors_only)
            add_object(json, problems, i, problem, severity);
    }
    asif_json_end(json);
}

static void add_lines(asif_text *text, const asif_problems *problems, bool errors_only) {
    uint64_t more = asif_problems_found(problems, ASIF_PROBLEM_ERROR);
    for (uint32_t i = 0; i < asif_problems_count(problems); i++) {
        asif_severity severity;
        const asif_error *problem = asif_problems_get(problems, i, &severity);
        more -= severity == ASIF_PROBLEM_ERROR ? asif_problems_times(problems, i, NULL) : 0;
        if (severity == ASIF_PROBLEM_ERROR || !errors_only)
            add_line(text, problems, i, problem, severity);
    }
    if (more)
        asif_text_addf(text, "and %" PRIu64 " more\n", more);
}

asif_status asif_report_problems(char **out, const asif_context *context, const asif_problems *problems,
                                 const asif_report_options *options, asif_error *error) {
    asif_report_options filled;
    *out = NULL;
    asif_status status = asif_report_fill(&filled, options, error);
    if (status != ASIF_OK)
        return status;
    asif_text text = {.context = context};
    asif_json json;
    asif_json_init(&json, &text);
    if (filled.json)
        asif_problems_json(&json, NULL, problems, filled.errors_only);
    else
        add_lines(&text, problems, filled.errors_only);
    return asif_text_finish(out, &text, error);
}
