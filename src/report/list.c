/* What there is: planners, inverse planners, presets, file formats. */
#include "asif/report.h"

#include "asif/inverse.h"

#include "base/error.h"
#include "base/json.h"
#include "report/options.h"
#include "report/table.h"

#include <string.h>

typedef struct {
    const char *name, *summary;
} row;

static const row formats[] = {
    {"yaml", "studies (read, write)"},
    {"pomdp", "Cassandra's format for decision problems (read, write)"},
    {"drn", "Storm's explicit format for large sparse MDPs (read, write)"},
    {"csv", "logs: one row a decision, with commas, tabs or semicolons (read, write)"},
    {"tree", "logs, counted: the history tree (read, write)"},
};

static bool get_planner(uint32_t i, row *out) {
    const asif_planner_info *info = asif_planner_get(i);
    if (info)
        *out = (row){info->name, info->summary};
    return info != NULL;
}

static bool get_inverse(uint32_t i, row *out) {
    const asif_inverse_info *info = asif_inverse_get(i);
    if (info)
        *out = (row){info->name, info->summary};
    return info != NULL;
}

static bool get_preset(uint32_t i, row *out) {
    const asif_preset_info *info = asif_preset_get(i);
    if (info)
        *out = (row){info->name, info->summary};
    return info != NULL;
}

static bool get_format(uint32_t i, row *out) {
    if (i >= sizeof formats / sizeof *formats)
        return false;
    *out = formats[i];
    return true;
}

static const struct section {
    const char *name, *heading;
    bool (*get)(uint32_t i, row *out);
} sections[] = {
    {"planners", "Planners: how an agent decides (agent: planner: NAME)", get_planner},
    {"inverses", "Inverse planners: how parameters are read off behaviour (inverse: NAME)", get_inverse},
    {"presets", "Presets: agents with a name (agent: preset: NAME)", get_preset},
    {"formats", "File formats", get_format},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static void add_section(asif_text *text, const struct section *section, uint32_t width) {
    row entry;
    uint32_t widest = 0;
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        uint32_t wide = asif_display_width(entry.name);
        widest = wide > widest ? wide : widest;
    }
    asif_text_add(text, text->length ? "\n" : "");
    asif_add_wrapped(text, "", 0, section->heading, width);
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        char name[ASIF_CELL_SIZE];
        asif_format(name, sizeof name, "  %s", entry.name);
        asif_add_wrapped(text, name, widest + 4, entry.summary, width);
    }
}

static void add_json(asif_json *json, const struct section *section) {
    row entry;
    asif_json_array(json, section->name);
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "name", entry.name);
        asif_json_string(json, "summary", entry.summary);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static asif_status unknown(const char *what, asif_error *error) {
    const char *names[SECTIONS];
    for (uint32_t i = 0; i < SECTIONS; i++)
        names[i] = sections[i].name;
    const char *near = asif_nearest_word(what, names, SECTIONS);
    asif_fail(error, ASIF_EUNKNOWN, "there is no list of '%s'", what);
    if (near)
        asif_error_hint(error, "did you mean '%s'?", near);
    else
        asif_error_hint(error, "there are planners, inverses, presets and formats");
    return ASIF_EUNKNOWN;
}

asif_status asif_report_list(char **out, const asif_context *context, const char *what,
                             const asif_report_options *options, asif_error *error) {
    asif_report_options filled;
    *out = NULL;
    asif_status status = asif_report_fill(&filled, options, error);
    if (status != ASIF_OK)
        return status;
    uint32_t first = 0, end = SECTIONS;
    if (what) {
        while (first < SECTIONS && strcmp(sections[first].name, what) != 0)
            first++;
        if (first == SECTIONS)
            return unknown(what, error);
        end = first + 1;
    }
    asif_text text = {.context = context};
    asif_json json;
    asif_json_init(&json, &text);
    if (filled.json)
        asif_json_object(&json, NULL);
    for (uint32_t i = first; i < end; i++) {
        if (filled.json)
            add_json(&json, &sections[i]);
        else
            add_section(&text, &sections[i], filled.width);
    }
    if (filled.json)
        asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}
