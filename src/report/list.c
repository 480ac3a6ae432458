/* Lists of what asif has: planners, inverse planners, the pairs of these that work together, presets, file
 * formats. */
#include "asif/report.h"

#include "asif/inverse.h"

#include "base/data/json.h"
#include "base/error.h"
#include "render/report_options.h"
#include "render/table.h"

#include <string.h>

typedef struct {
    uint32_t bit;
    const char *name;
} flag;
static const flag sees[] = {{ASIF_SEES_STATES, "states"}, {ASIF_SEES_BELIEFS, "beliefs"}, {0, NULL}};
static const flag gives[] = {{ASIF_GIVES_VALUES, "values"},
                             {ASIF_GIVES_OCCUPANCY, "occupancy"},
                             {ASIF_GIVES_GRADIENT, "gradient"},
                             {0, NULL}};
static const char *const helpers[] = {"none", "scores", "pairs", "batches", "environments"};

/* A row of a list: a name, a summary, and up to two more lines. */
typedef struct {
    const char *name, *summary;
    char more[2][240];
} row;

/* ---- lines of text ---- */

static void add_flags(char *out, size_t size, const flag *flags, uint32_t set, const char *between) {
    out[0] = 0;
    for (; flags->name; flags++)
        if (set & flags->bit)
            asif_format(out + strlen(out), size - strlen(out), "%s%s", out[0] ? between : "", flags->name);
}

static void pages(char *out, size_t size, const char *docs, const char *examples, const char *name) {
    asif_format(out, size, "docs/%s/%s.md, examples/%s/%s.yaml", docs, name, examples, name);
}

static bool get_planner(uint32_t i, row *out) {
    const asif_planner_info *info = asif_planner_get(i);
    if (!info)
        return false;
    char what[40];
    add_flags(what, sizeof what, sees, info->sees, " or ");
    *out = (row){.name = info->name, .summary = info->summary};
    asif_format(out->more[0], sizeof out->more[0], "on %s%s%s", what, info->paper ? "; Table 2: " : "",
                info->paper ? info->paper : "");
    pages(out->more[1], sizeof out->more[1], "planners", "planners", info->name);
    return true;
}

static bool get_inverse(uint32_t i, row *out) {
    const asif_inverse_info *info = asif_inverse_get(i);
    if (!info)
        return false;
    char what[40];
    add_flags(what, sizeof what, sees, info->sees, " or ");
    *out = (row){.name = info->name, .summary = info->summary};
    asif_format(out->more[0], sizeof out->more[0], "on %s%s%s%s%s", what, info->helper ? ", needs " : "",
                info->helper ? helpers[info->helper] : "", info->paper ? "; Table 3: " : "",
                info->paper ? info->paper : "");
    pages(out->more[1], sizeof out->more[1], "inverse", "inverses", info->name);
    return true;
}

static bool get_preset(uint32_t i, row *out) {
    const asif_preset_info *info = asif_preset_get(i);
    if (!info)
        return false;
    *out = (row){.name = info->name, .summary = info->summary};
    if (info->inverse)
        asif_format(out->more[0], sizeof out->more[0], "%s with %s; estimates %s; Table 1: %s", info->planner,
                    info->inverse, info->estimated, info->paper);
    else
        asif_format(out->more[0], sizeof out->more[0], "%s; Table 4: %s", info->planner, info->paper);
    return true;
}

static bool get_format(uint32_t i, row *out) {
    static const row formats[] = {
        {"yaml", "studies (read, write)", {"", ""}},
        {"pomdp", "Cassandra's format for decision problems (read, write)", {"", ""}},
        {"drn", "Storm's explicit format for large sparse MDPs (read, write)", {"", ""}},
        {"csv", "logs: one row for each decision, with commas, tabs or semicolons (read, write)", {"", ""}},
        {"tree", "logs, counted: the history tree (read, write)", {"", ""}},
    };
    if (i >= sizeof formats / sizeof *formats)
        return false;
    *out = formats[i];
    return true;
}

/* ---- JSON ---- */

static void json_flags(asif_json *json, const char *name, const flag *flags, uint32_t set) {
    asif_json_array(json, name);
    for (; flags->name; flags++)
        if (set & flags->bit)
            asif_json_string(json, NULL, flags->name);
    asif_json_end(json);
}

static void json_pages(asif_json *json, const char *docs, const char *examples, const char *name) {
    char path[240];
    asif_format(path, sizeof path, "docs/%s/%s.md", docs, name);
    asif_json_string(json, "page", path);
    asif_format(path, sizeof path, "examples/%s/%s.yaml", examples, name);
    asif_json_string(json, "example", path);
}

static void json_planner(asif_json *json, uint32_t i) {
    const asif_planner_info *info = asif_planner_get(i);
    asif_json_string(json, "paper", info->paper);
    json_flags(json, "sees", sees, info->sees);
    json_flags(json, "gives", gives, info->gives);
    asif_json_bool(json, "purposeful", info->purposeful);
    json_pages(json, "planners", "planners", info->name);
}

static void json_inverse(asif_json *json, uint32_t i) {
    const asif_inverse_info *info = asif_inverse_get(i);
    asif_json_string(json, "paper", info->paper);
    json_flags(json, "sees", sees, info->sees);
    json_flags(json, "wants", gives, info->wants);
    asif_json_bool(json, "purposeful", info->purposeful);
    asif_json_bool(json, "likelihood", info->likelihood);
    asif_json_string(json, "helper", info->helper ? helpers[info->helper] : NULL);
    json_pages(json, "inverse", "inverses", info->name);
}

static void json_preset(asif_json *json, uint32_t i) {
    const asif_preset_info *info = asif_preset_get(i);
    asif_json_string(json, "paper", info->paper);
    asif_json_string(json, "planner", info->planner);
    asif_json_string(json, "inverse", info->inverse);
    asif_json_string(json, "estimated", info->estimated);
}

/* ---- pairs ---- */

/* Add the names of the inverse planners that a planner refuses for the reason `why` (NULL: those it works
 * with); returns their number. */
static uint32_t add_paired(asif_text *words, const asif_planner_info *planner, const char *why) {
    const asif_inverse_info *inverse;
    uint32_t count = 0;
    for (uint32_t i = 0; (inverse = asif_inverse_get(i)); i++) {
        const char *refused = asif_pair_refused(planner, inverse);
        if (refused != why && !(refused && why && strcmp(refused, why) == 0))
            continue;
        asif_text_addf(words, "%s%s", count ? ", " : "", inverse->name);
        count++;
    }
    return count;
}

static void add_pairs_line(asif_text *text, const asif_context *context, const asif_planner_info *planner,
                           const char *why, uint32_t width) {
    asif_text words = {.context = context};
    uint32_t count = add_paired(&words, planner, why);
    if (why)
        asif_text_addf(&words, ": %s %s", count == 1 ? "it" : "each", why);
    asif_add_wrapped(text, why ? "    not with" : "    with", 14, count && words.data ? words.data : "none",
                     width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

static void add_pairs(asif_text *text, const asif_context *context, uint32_t width) {
    const asif_planner_info *planner;
    asif_add_wrapped(text, "", 0, "Pairs: which planner goes with which inverse planner, and why not", width);
    for (uint32_t p = 0; (planner = asif_planner_get(p)); p++) {
        const asif_inverse_info *inverse;
        asif_text_addf(text, "  %s\n", planner->name);
        add_pairs_line(text, context, planner, NULL, width);
        for (uint32_t i = 0; (inverse = asif_inverse_get(i)); i++) {
            const char *why = asif_pair_refused(planner, inverse);
            bool said = false;
            for (uint32_t k = 0; why && k < i; k++) {
                const char *before = asif_pair_refused(planner, asif_inverse_get(k));
                said = said || (before && strcmp(before, why) == 0);
            }
            if (why && !said)
                add_pairs_line(text, context, planner, why, width);
        }
    }
}

static void json_pairs(asif_json *json) {
    const asif_planner_info *planner;
    const asif_inverse_info *inverse;
    asif_json_array(json, "pairs");
    for (uint32_t p = 0; (planner = asif_planner_get(p)); p++)
        for (uint32_t i = 0; (inverse = asif_inverse_get(i)); i++) {
            const char *why = asif_pair_refused(planner, inverse);
            asif_json_object(json, NULL);
            asif_json_string(json, "planner", planner->name);
            asif_json_string(json, "inverse", inverse->name);
            asif_json_bool(json, "together", why == NULL);
            asif_json_string(json, "why_not", why);
            asif_json_end(json);
        }
    asif_json_end(json);
}

/* ---- lists ---- */

static const struct section {
    const char *name, *heading;
    bool (*get)(uint32_t i, row *out); /* NULL: pairs, which are shown only on request */
    void (*json)(asif_json *json, uint32_t i);
} sections[] = {
    {"planners", "Planners: how an agent decides (agent: planner: NAME)", get_planner, json_planner},
    {"inverses", "Inverse planners: how parameters are read off behaviour (inverse: NAME)", get_inverse,
     json_inverse},
    {"presets",
     "Presets: agents with a name, and classes of imitation and reward learning (agent: preset: NAME)",
     get_preset, json_preset},
    {"formats", "File formats", get_format, NULL},
    {"pairs", NULL, NULL, NULL},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* Length of the longest word; lines with a word wider than the terminal, such as a path, are left out. */
static uint32_t longest_word(const char *words) {
    uint32_t longest = 0;
    for (; *words; words += *words == ' ') {
        uint32_t length = (uint32_t)strcspn(words, " ");
        longest = length > longest ? length : longest;
        words += length;
    }
    return longest;
}

static void add_section(asif_text *text, const struct section *section, uint32_t width) {
    row entry;
    uint32_t widest = 0;
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        uint32_t wide = asif_display_width(entry.name);
        widest = wide > widest ? wide : widest;
    }
    bool below = widest > 28 || widest + 24 > width; /* the summary begins on a line of its own */
    uint32_t indent = below ? 6 : widest + 4;
    asif_text_add(text, text->length ? "\n" : "");
    asif_add_wrapped(text, "", 0, section->heading, width);
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        char name[ASIF_CELL_SIZE];
        asif_format(name, sizeof name, "  %s", entry.name);
        if (below)
            asif_text_addf(text, "%s\n", name);
        asif_add_wrapped(text, below ? "" : name, indent, entry.summary, width);
        for (size_t k = 0; k < sizeof entry.more / sizeof *entry.more; k++)
            if (entry.more[k][0] && indent + longest_word(entry.more[k]) <= width)
                asif_add_wrapped(text, "", indent, entry.more[k], width);
    }
}

static void add_json(asif_json *json, const struct section *section) {
    row entry;
    asif_json_array(json, section->name);
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "name", entry.name);
        asif_json_string(json, "summary", entry.summary);
        if (section->json)
            section->json(json, i);
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
        asif_error_hint(error, "there are planners, inverses, presets, formats and pairs");
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
        if (!sections[i].get && !what)
            continue;
        if (!sections[i].get && filled.json)
            json_pairs(&json);
        else if (!sections[i].get)
            add_pairs(&text, context, filled.width);
        else if (filled.json)
            add_json(&json, &sections[i]);
        else
            add_section(&text, &sections[i], filled.width);
    }
    if (filled.json)
        asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}
