/* The section on the data as read: counts, columns, rows left out, warnings of the fit, and what this page
 * withholds. */
#include "report/page/page.h"

#include "base/memory.h"
#include "fit/fit.h"
#include "logs/map/log_map.h"

#include <math.h>
#include <string.h>

#define LABELS 60 /* most labels of a column that are listed */

static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* ---- counts ---- */

static const struct {
    const char *words, *key;
} totals[ASIF_CELL_TOTALS] = {
    [ASIF_CELL_SUBJECTS] = {"subjects", "subjects"},      [ASIF_CELL_EPISODES] = {"episodes", "episodes"},
    [ASIF_CELL_DECISIONS] = {"decisions", "decisions"},   [ASIF_CELL_ROWS] = {"rows of the table", "rows"},
    [ASIF_CELL_EXCLUDED] = {"rows left out", "excluded"},
};

/* A row of the table: `add` adds the words of a fit, or nothing. Nothing of any fit, and there is no row. */
typedef struct {
    asif_page *page;
    asif_html_table table;
} description;
typedef void add_words(asif_text *words, const asif_source_fit *fit, int which);

static void add_row(description *d, const char *name, add_words *add, int which) {
    const asif_source *source = d->page->source;
    asif_text all = {.context = d->page->context};
    uint64_t length = 0;
    for (uint32_t f = 0; f < source->fits; f++) {
        uint64_t before = all.length;
        add(&all, &source->fit[f], which);
        length += all.length - before;
        asif_text_add_n(&all, "", 1);
    }
    if (length > 0 && !all.failed) {
        const char *cell = all.data;
        asif_html_cell(&d->table, name);
        for (uint32_t f = 0; f < source->fits; f++, cell += strlen(cell) + 1)
            asif_html_cell(&d->table, cell);
    }
    d->page->html.failed |= all.failed;
    asif_text_free(&all);
}

static void add_total(asif_text *words, const asif_source_fit *fit, int which) {
    char cell[ASIF_CELL_SIZE];
    asif_cell total = asif_disclosure_total(fit->cells, (asif_cell_total)which);
    if (!isnan(asif_yaml_value(asif_yaml_part(fit->fit.root, "logs"), totals[which].key)))
        asif_text_add(words, asif_cell_text(cell, fit->cells, total));
}

static void add_mean(asif_text *words, const asif_source_fit *fit, int which) {
    char cell[ASIF_CELL_SIZE];
    asif_cell decisions = asif_disclosure_total(fit->cells, ASIF_CELL_DECISIONS),
              episodes = asif_disclosure_total(fit->cells, ASIF_CELL_EPISODES);
    (void)which;
    bool known = decisions.low == decisions.high && episodes.low == episodes.high && episodes.low > 0;
    if (!isnan(asif_yaml_value(asif_yaml_part(fit->fit.root, "logs"), "episodes")))
        asif_text_add(words, known ? asif_short_number(cell, decisions.low / episodes.low) : "withheld");
}

static void add_length(asif_text *words, const asif_source_fit *fit, double from, double to) {
    char cell[ASIF_CELL_SIZE];
    if (!asif_yaml_part(asif_yaml_part(fit->fit.root, "logs"), "lengths"))
        return;
    asif_text_add(words, isnan(from) || isnan(to) ? "withheld" : asif_short_number(cell, from));
    if (from < to)
        asif_text_addf(words, " to %s", asif_short_number(cell, to));
}

static void add_median(asif_text *words, const asif_source_fit *fit, int which) {
    const asif_disclosure_table *table = asif_disclosure_described(fit->cells);
    (void)which;
    add_length(words, fit, table->quartile[1], table->quartile[1]);
}

static void add_quartiles(asif_text *words, const asif_source_fit *fit, int which) {
    const asif_disclosure_table *table = asif_disclosure_described(fit->cells);
    (void)which;
    add_length(words, fit, table->quartile[0], table->quartile[2]);
}

static void add_range(asif_text *words, const asif_source_fit *fit, int which) {
    const asif_disclosure_table *table = asif_disclosure_described(fit->cells);
    (void)which;
    if (!isnan(table->longest))
        add_length(words, fit, table->shortest, table->longest);
}

/* Add a count with its share: "1,234 (12.3 %)". */
static void add_part(asif_text *words, const asif_source_fit *fit, asif_cell part, asif_cell whole) {
    char cell[ASIF_CELL_SIZE];
    asif_text_add(words, asif_cell_text(cell, fit->cells, part));
    if (!isnan(part.low) && whole.low > 0)
        asif_text_addf(words, " (%s)",
                       part.low == part.high && whole.low == whole.high
                           ? asif_percent_text(cell, part.low / whole.low)
                           : asif_share_text(cell, part, whole));
}

/* What parts add up to, where all of them are shown as they are. */
static asif_cell sum_of(const asif_cell *part, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += part[i].low == part[i].high ? part[i].low : NAN;
    return ASIF_CELL(sum, sum, false);
}

static void add_taken(asif_text *words, const asif_source_fit *fit, int which) {
    const asif_disclosure_table *table = asif_disclosure_described(fit->cells);
    if ((uint32_t)which < table->actions)
        add_part(words, fit, table->taken[which],
                 table->shown ? sum_of(table->taken, table->actions)
                              : asif_disclosure_total(fit->cells, ASIF_CELL_DECISIONS));
}

static void add_seen(asif_text *words, const asif_source_fit *fit, int which) {
    const asif_disclosure_table *table = asif_disclosure_described(fit->cells);
    const uint32_t o = (uint32_t)which, n = table->observations;
    bool nothing = asif_yaml_value(asif_yaml_part(fit->fit.root, "logs"), "nothing_seen") > 0;
    if (o < n || (n > 0 && o == n && nothing))
        add_part(words, fit, table->seen[o], sum_of(table->seen, n + nothing));
}

/* Add the rows of labels under a heading; `last`: a row behind them, NULL: none. */
static void add_labels(description *d, const char *key, const char *heading, add_words *add,
                       const char *last) {
    const asif_source *source = d->page->source;
    const asif_yaml *names = asif_yaml_part(asif_yaml_part(source->fit[0].fit.root, "logs"), key);
    if (!names || names->kind != ASIF_YAML_MAP || names->count == 0 || names->count > LABELS)
        return;
    asif_html_cell(&d->table, heading);
    for (uint32_t f = 0; f < source->fits; f++)
        asif_html_cell(&d->table, "");
    for (uint32_t i = 0; i < names->count + (last != NULL); i++) {
        asif_text name = {.context = d->page->context};
        asif_text_addf(&name, "\xe2\x80\x83%s", i < names->count ? names->key[i]->text : last);
        add_row(d, name.data ? name.data : "", add, (int)i);
        d->page->html.failed |= name.failed;
        asif_text_free(&name);
    }
}

/* Add a table that describes the logs, with a column for each group. */
static void add_description(asif_page *page) {
    const asif_source *source = page->source;
    const char **heads = ASIF_ARRAY(page->context, source->fits + 1, const char *);
    description d = {.page = page};
    page->html.failed |= !heads;
    if (!heads)
        return;
    heads[0] = "what";
    for (uint32_t f = 0; f < source->fits; f++)
        heads[f + 1] = source->fits == 1 ? "how many" : source->fit[f].name;
    asif_html_table_begin(&d.table, &page->html, "Table 1: the data", source->fits + 1, heads, ~(uint64_t)1);
    for (int which = 0; which < ASIF_CELL_TOTALS; which++)
        add_row(&d, totals[which].words, add_total, which);
    add_row(&d, "decisions per episode: mean", add_mean, 0);
    add_row(&d, "decisions per episode: median", add_median, 0);
    add_row(&d, "decisions per episode: middle half", add_quartiles, 0);
    add_row(&d, "decisions per episode: range", add_range, 0);
    add_labels(&d, "actions", "actions (share of the decisions)", add_taken, NULL);
    add_labels(&d, "observations", "observations (share of all)", add_seen, "nothing seen");
    asif_html_table_end(&d.table);
    asif_free(page->context, heads);
}

/* ---- from the table to the data ---- */

static const struct {
    const char *rule, *words;
} reasons[] = {
    {"where", "the episode was not asked for (--where)"},
    {"off_grid: leave_out", "the time is not a multiple of the step"},
    {"require", "something that the study requires is missing"},
    {"begin", "the row is before the time at which episodes begin, or the episode has no such time"},
    {"gaps: cut", "the row comes after a gap in the times of its episode"},
    {"missing: drop_episode", "something is missing in the episode"},
    {"missing: drop_row", "something is missing in the row"},
};

static void add_reason(asif_page *page, const asif_yaml *out, bool counted) {
    const char *rule = asif_yaml_text(out, "rule"), *column = asif_yaml_text(out, "column");
    double episodes = asif_yaml_value(out, "episodes");
    asif_text words = {.context = page->context};
    char cell[ASIF_CELL_SIZE];
    if (counted)
        asif_text_addf(&words, "%s rows", asif_read_count_text(cell, asif_yaml_value(out, "rows")));
    if (counted && episodes > 0)
        asif_text_addf(&words, " (%s whole episodes)", asif_count_text(cell, (uint64_t)episodes));
    asif_text_add(&words, counted ? " were left out: " : "Some rows were left out: ");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (asif_is(rule, reasons[i].rule))
            asif_text_add(&words, reasons[i].words);
    if (column)
        asif_text_addf(&words, " (%s)", column);
    asif_text_add(&words, ".");
    asif_text_add(&page->html, "<li class=\"out\">");
    asif_html_text(&page->html, words.data);
    asif_text_add(&page->html, "</li>\n");
    page->html.failed |= words.failed;
    asif_text_free(&words);
}

static void add_step(asif_page *page, asif_text *words) {
    asif_html_sentence(&page->html, "li", words);
}

/* Add what a group has. Groups follow from the rows that were used, and not from each other. */
static void add_group(asif_page *page, asif_text *words) {
    asif_text_add(&page->html, "<li class=\"group\">");
    asif_html_text(&page->html, words->data);
    asif_text_add(&page->html, "</li>\n");
    page->html.failed |= words->failed;
    asif_text_free(words);
}

/* Add the way from the rows of the table to the data as a chart: rows, what was left out, and what is left.
 * Counts of all groups together would reveal counts of a group; with withheld counts only the reasons are
 * shown. */
static void add_flow(asif_page *page) {
    const asif_source *source = page->source;
    const asif_source_fit *fit = &source->fit[0];
    const asif_yaml *logs = asif_yaml_part(fit->fit.root, "logs"), *table = asif_yaml_part(logs, "table"),
                    *of = table ? table : logs, *out = asif_yaml_list(of, "left_out");
    double rows = asif_yaml_value(of, "rows"), excluded = asif_yaml_value(of, "excluded");
    bool counted = source->request->min_cell == 0;
    char cell[ASIF_CELL_SIZE];
    asif_text words = {.context = page->context};
    if (isnan(rows) || !out || (out->count == 0 && !(counted && excluded == 0)))
        return;
    asif_html_element(&page->html, "h3", "From the table to the data");
    asif_text_add(&page->html, "<ol class=\"flow\">\n");
    if (counted)
        asif_text_addf(&words, "%s rows of the table", asif_count_text(cell, (uint64_t)rows));
    else
        asif_text_add(&words, "all rows of the table");
    add_step(page, &words);
    for (uint32_t i = 0; i < out->count; i++)
        add_reason(page, out->item[i], counted);
    words = (asif_text){.context = page->context};
    if (counted)
        asif_text_addf(&words, "%s rows that were used", asif_count_text(cell, (uint64_t)(rows - excluded)));
    else
        asif_text_add(&words, "the rows that were used");
    add_step(page, &words);
    for (uint32_t g = 0; source->fits > 1 && g < source->fits; g++) {
        words = (asif_text){.context = page->context};
        asif_text_addf(&words, "%s %s of %s.",
                       asif_cell_text(cell, source->fit[g].cells,
                                      asif_disclosure_total(source->fit[g].cells, ASIF_CELL_EPISODES)),
                       asif_summary_counted(&source->fit[g].fit) ? "rows of counts" : "episodes",
                       source->fit[g].name);
        add_group(page, &words);
    }
    asif_text_add(&page->html, "</ol>\n");
}

/* ---- columns ---- */

/* Whether the study gives cells of a column another spelling. */
static bool is_recoded(const asif_log_map *map, const char *column) {
    for (uint32_t i = 0; i < map->cell_rules; i++)
        if (asif_is(map->cell_rule[i].name, column))
            return map->cell_rule[i].recodes > 0;
    return false;
}

static void add_how(asif_html_table *table, const asif_page *page, const asif_log_column *column, bool names,
                    bool recoded) {
    asif_text words = {.context = page->context};
    char cell[ASIF_CELL_SIZE];
    for (uint32_t k = 0; k < column->cuts; k++)
        asif_text_addf(&words, "%s%s", k ? ", " : "cut at ", asif_short_number(cell, column->cut[k]));
    for (uint32_t k = 0; names && column->to && k < column->labels && k < LABELS; k++) {
        asif_text_add(&words, k ? ", " : words.length ? " into " : "");
        if (column->from && column->from[k])
            asif_text_addf(&words, "%s is ", column->from[k]);
        asif_text_add(&words, column->to[k] ? column->to[k] : "");
    }
    if (names && column->labels > LABELS)
        asif_text_addf(&words, " and %u more", column->labels - LABELS);
    if (!words.data)
        asif_text_add(&words, recoded ? "as the study recodes it" : "as it is");
    else if (recoded)
        asif_text_add(&words, ", after the study recodes it");
    asif_html_cell_words(table, &words);
}

static void add_columns(asif_page *page) {
    static const char *const heads[] = {"part", "column", "values"};
    static const char *const missing[] = {
        [ASIF_MISSING_REFUSE] = "Where something is missing the table is refused.",
        [ASIF_MISSING_DROP_ROW] = "Rows in which something is missing are left out.",
        [ASIF_MISSING_NOT_SEEN] = "Where an observation is missing, nothing was seen.",
        [ASIF_MISSING_DROP_EPISODE] = "Episodes in which something is missing are left out."};
    static const char *const gaps[] = {[ASIF_GAPS_IGNORE] = "",
                                       [ASIF_GAPS_CUT] = " An episode with a gap in its times is cut there.",
                                       [ASIF_GAPS_REFUSE] = " Gaps in the times of an episode are refused."};
    const asif_log_map *map = asif_study_logs(page->source->fit[0].view.study);
    asif_html_table table;
    if (!map)
        return;
    uint32_t named = 0;
    for (int role = 0; role < ASIF_ROLE_COUNT; role++)
        named += map->role[role].columns;
    if (named)
        asif_html_table_begin(&table, &page->html, "Which column is what", 3, heads, 0);
    for (int role = 0; role < ASIF_ROLE_COUNT; role++) {
        const asif_log_role *part = &map->role[role];
        bool names =
            page->source->request->identify || (role != ASIF_ROLE_SUBJECT && role != ASIF_ROLE_EPISODE);
        for (uint32_t c = 0; c < part->columns; c++) {
            asif_html_cell(&table, asif_role_name((asif_role)role));
            asif_html_cell(&table, part->column[c].name);
            add_how(&table, page, &part->column[c], names, is_recoded(map, part->column[c].name));
        }
    }
    if (named)
        asif_html_table_end(&table);
    asif_html_paragraph(&page->html,
                        "%s found by the usual names (subject, episode, t or time, action, observation, "
                        "state), or by --map on the command line. %s%s%s",
                        named ? "A column that is not named is" : "Columns are", missing[map->missing],
                        gaps[map->gaps], map->before ? " A row holds what was seen before its action." : "");
}

/* ---- limits ---- */

static void add_where(asif_page *page) {
    const asif_yaml *list = asif_yaml_list(page->source->fit[0].fit.root, "where");
    asif_text words = {.context = page->context};
    for (uint32_t i = 0; list && i < list->count; i++) {
        const char *text = list->item[i]->text ? list->item[i]->text : "", *equals = strchr(text, '=');
        asif_text_add(&words, i ? " and " : "Only rows were read with ");
        if (equals && asif_source_hides(page->source, text, (uint64_t)(equals - text)))
            asif_text_addf(&words, "%.*s= (not shown: it names subjects)", (int)(equals - text), text);
        else
            asif_text_add(&words, text);
    }
    asif_html_sentence(&page->html, "p", &words);
}

static void add_groups(asif_page *page) {
    const asif_source *source = page->source;
    const char *column = source->fit[0].view.group_column;
    asif_text words = {.context = page->context};
    if (!column)
        return;
    asif_text_addf(
        &words, source->fits > 1 ? "Groups by the column %s: " : "Of the column %s only the group ", column);
    for (uint32_t g = 0; g < source->fits; g++)
        asif_text_addf(&words, "%s%s", g ? ", " : "", source->fit[g].name ? source->fit[g].name : "");
    asif_html_sentence(&page->html, "p", &words);
    if (source->request->unfinished)
        asif_html_paragraph(&page->html, "%u of the %u groups %s not finished and %s left out of this page.",
                            source->request->unfinished, source->request->unfinished + source->fits,
                            source->request->unfinished == 1 ? "is" : "are",
                            source->request->unfinished == 1 ? "is" : "are");
}

/* Whether a warning reveals a small count. Fits from before warnings had codes may reveal anything. */
static bool tells_of_few(const asif_yaml *warning, uint32_t limit) {
    const char *code = asif_yaml_text(warning, "code");
    if (warning->kind != ASIF_YAML_MAP || !asif_yaml_get(warning, "code"))
        return limit > 0;
    return (limit > 0 && asif_is(code, ASIF_WARNS_NEVER_TAKEN)) ||
           (limit > 1 && asif_is(code, ASIF_WARNS_ONE_SUBJECT));
}

/* Add the warnings of the fit, except those that reveal a small count: that something was never done, or only
 * by one subject. */
static void add_warnings(asif_page *page, const asif_source_fit *fit) {
    const asif_yaml *list = asif_yaml_list(fit->fit.root, "warnings");
    uint32_t limit = asif_disclosure_limit(fit->cells);
    asif_text points = {.context = page->context};
    for (uint32_t i = 0; list && i < list->count; i++) {
        const char *message = asif_yaml_text(list->item[i], "message"),
                   *hint = asif_yaml_text(list->item[i], "hint");
        asif_text words = {.context = page->context};
        if (!message || tells_of_few(list->item[i], limit))
            continue;
        if (fit->name && page->source->fits > 1)
            asif_text_addf(&words, "%s: ", fit->name);
        asif_text_add(&words, message);
        if (hint && *hint)
            asif_text_addf(&words, "; %s", hint);
        asif_text_add_n(&points, words.data ? words.data : "", words.length + 1);
        points.failed |= words.failed;
        asif_text_free(&words);
    }
    asif_html_points(&page->html, &points);
}

static void add_withheld(asif_page *page) {
    const asif_page_request *request = page->source->request;
    asif_text words = {.context = page->context};
    if (request->min_cell > 0)
        asif_text_addf(&words,
                       "Small counts could identify people. Counts of subjects, episodes and decisions below "
                       "%u are withheld, and other counts are shown as ranges, so that these cannot be "
                       "computed from them. ",
                       request->min_cell);
    else
        asif_text_add(&words, "All counts are shown, however small. ");
    asif_text_add(&words,
                  request->identify
                      ? "Subjects may be named on this page."
                      : "Subjects are not named. A case that is drawn is simulated from the fit: it is not "
                        "a real person.");
    asif_html_sentence(&page->html, "p", &words);
}

asif_status asif_page_data(asif_page *page, asif_error *error) {
    const asif_yaml *made = page->source->fit[0].made;
    const char *file = base_name(asif_yaml_text(asif_yaml_part(made, "logs"), "file"));
    (void)error;
    if (file)
        asif_html_paragraph(&page->html, "Read from %s.", strcmp(file, "-") == 0 ? "standard input" : file);
    add_where(page);
    add_groups(page);
    add_description(page);
    add_flow(page);
    add_columns(page);
    if (page->source->fits == 1)
        asif_page_labels(page, &page->source->fit[0]);
    for (uint32_t g = 0; g < page->source->fits; g++)
        add_warnings(page, &page->source->fit[g]);
    add_withheld(page);
    return ASIF_OK;
}
