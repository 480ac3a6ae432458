/* Drafts a study from the columns of a table. */
#include "asif/report.h"

#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "logs/map/log_map.h"
#include "render/report_options.h"
#include "render/table.h"
#include "report/study/draft_columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define NO_COLUMN UINT32_MAX
#define MOST_COLUMNS 8   /* most columns that make up an observation */
#define MOST_VALUES 12   /* most distinct numbers that are taken as labels; more are cut */
#define MOST_CROSSED 200 /* most labels that crossed columns may make */
#define MOST_LINES 12    /* most actions that get a line of their own */
#define WIDTH 100

typedef struct {
    const asif_table_column *info;
    uint32_t cuts; /* 0: values are labels */
    double cut[2];
} drafted;

typedef struct {
    uint32_t columns, column[MOST_COLUMNS]; /* indices of the columns in the table */
    drafted part[MOST_COLUMNS];
} drafted_role;

typedef struct {
    const asif_context *context;
    const asif_columns *columns;
    const char *file;
    drafted_role role[ASIF_ROLE_COUNT];
    bool seen; /* whether the table has states, not observations */
    asif_text text;
} draft;

/* Usual names of columns, in lower case without other characters, the most usual first. */
static const struct {
    asif_role role;
    const char *names;
} usual[] = {
    {ASIF_ROLE_SUBJECT,
     " subject subjectid subjid subid sub participant participantid patient patientid person personid user "
     "userid worker workerid pid rid id "},
    {ASIF_ROLE_EPISODE, " episode episodeid session block game run case caseid admission stay spell "},
    {ASIF_ROLE_TIME,
     " t time step trial trialnumber trialno trialnum period visit day week month wave round date stage "},
    {ASIF_ROLE_ACTION, " action choice response decision act chosen treatment answer "},
    {ASIF_ROLE_OBSERVATION, " observation obs outcome feedback result reward signal finding test "},
    {ASIF_ROLE_STATE, " state stateid "},
    {ASIF_ROLE_WEIGHT, " weight "},
};

static void simple_name(const char *name, char *out, size_t size) {
    size_t used = 0;
    for (; *name && used + 1 < size; name++) {
        char c = *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80)
            out[used++] = c;
    }
    out[used] = 0;
}

static bool is_taken(const draft *d, uint32_t column) {
    for (uint32_t r = 0; r < ASIF_ROLE_COUNT; r++)
        for (uint32_t i = 0; i < d->role[r].columns; i++)
            if (d->role[r].column[i] == column)
                return true;
    return false;
}

/* Find the column with the most usual name of a role; NO_COLUMN: there is none. */
static uint32_t guess(const draft *d, const char *names) {
    const char *best = NULL;
    uint32_t found = NO_COLUMN;
    const asif_table_column *column;
    for (uint32_t i = 0; (column = asif_columns_get(d->columns, i)); i++) {
        char name[64], word[68];
        simple_name(column->name, name, sizeof name);
        asif_format(word, sizeof word, " %s ", name);
        const char *at = name[0] && !is_taken(d, i) ? strstr(names, word) : NULL;
        if (at && (!best || at < best)) {
            best = at;
            found = i;
        }
    }
    return found;
}

/* Find a column such as `bus_id`, which is the subject if no other column is. */
static uint32_t guess_id(const draft *d) {
    const asif_table_column *column;
    for (uint32_t i = 0; (column = asif_columns_get(d->columns, i)); i++) {
        char name[64];
        simple_name(column->name, name, sizeof name);
        size_t length = strlen(name);
        if (!is_taken(d, i) && length > 2 && strcmp(name + length - 2, "id") == 0)
            return i;
    }
    return NO_COLUMN;
}

static void list_columns(const draft *d, char *out, size_t size) {
    const asif_table_column *column;
    size_t used = (size_t)asif_format(out, size, "the columns are ");
    for (uint32_t i = 0; (column = asif_columns_get(d->columns, i)); i++) {
        if (used + 80 > size) {
            asif_format(out + used, size - used, ", ...");
            return;
        }
        used += (size_t)asif_format(out + used, size - used, "%s`%.60s`", i ? ", " : "", column->name);
    }
}

static asif_status take_mapped(draft *d, asif_role role, const asif_log_role *mapped, asif_error *error) {
    if (mapped->columns > MOST_COLUMNS)
        return asif_fail(error, ASIF_EINVALID, "`%s` is made of more than %d columns", asif_role_name(role),
                         MOST_COLUMNS);
    for (uint32_t k = 0; k < mapped->columns; k++) {
        const asif_table_column *column;
        uint32_t i = 0;
        while ((column = asif_columns_get(d->columns, i)) &&
               strcmp(column->name, mapped->column[k].name) != 0)
            i++;
        if (!column) {
            char hint[256];
            asif_fail(error, ASIF_EUNKNOWN, "there is no column `%.60s`, which is to be the %s",
                      mapped->column[k].name, asif_role_name(role));
            asif_error_at(error, d->file, 1, 0);
            list_columns(d, hint, sizeof hint);
            asif_error_hint(error, "%s", hint);
            return ASIF_EUNKNOWN;
        }
        d->role[role].column[d->role[role].columns++] = i;
    }
    return ASIF_OK;
}

static asif_status lacks(const draft *d, const char *role, const char *flag, asif_error *error) {
    char hint[256];
    list_columns(d, hint, sizeof hint);
    asif_fail(error, ASIF_EUNKNOWN, "no column has a name that shows %s", role);
    asif_error_at(error, d->file, 1, 0);
    asif_error_hint(error, "say which it is, with %s; %s", flag, hint);
    return ASIF_EUNKNOWN;
}

static asif_status find_roles(draft *d, const asif_log_map *map, asif_error *error) {
    for (uint32_t r = 0; map && r < ASIF_ROLE_COUNT; r++)
        ASIF_TRY(take_mapped(d, (asif_role)r, &map->role[r], error));
    bool state = d->role[ASIF_ROLE_STATE].columns > 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        drafted_role *role = &d->role[usual[i].role];
        if (role->columns || (usual[i].role == ASIF_ROLE_OBSERVATION && state) ||
            (usual[i].role == ASIF_ROLE_STATE && d->role[ASIF_ROLE_OBSERVATION].columns))
            continue;
        uint32_t found = guess(d, usual[i].names);
        if (found != NO_COLUMN)
            role->column[role->columns++] = found;
    }
    drafted_role *subject = &d->role[ASIF_ROLE_SUBJECT];
    uint32_t id = subject->columns ? NO_COLUMN : guess_id(d);
    if (id != NO_COLUMN)
        subject->column[subject->columns++] = id;
    if (!d->role[ASIF_ROLE_ACTION].columns)
        return lacks(d, "what was done", "--map action=COLUMN", error);
    d->seen = d->role[ASIF_ROLE_STATE].columns > 0 && !d->role[ASIF_ROLE_OBSERVATION].columns;
    if (!d->seen && !d->role[ASIF_ROLE_OBSERVATION].columns)
        return lacks(d, "what was seen",
                     "--map observation=COLUMN or, if the state itself is seen, state=COLUMN", error);
    return ASIF_OK;
}

/* Find two cuts, at a third and two thirds of the numbers, rounded to few digits; no class is empty. */
static void find_cuts(drafted *part) {
    const asif_table_column *info = part->info;
    uint32_t n = info->samples;
    double least = info->sample[0], most = info->sample[n - 1];
    for (uint32_t k = 1; k <= 2; k++) {
        uint32_t i = (uint32_t)((uint64_t)n * k / 3);
        while (i < n && info->sample[i] == least)
            i++;
        if (i == n)
            return;
        char digits[ASIF_NUMBER_SIZE];
        double x = info->sample[i], rounded = x;
        asif_format(digits, sizeof digits, "%.3g", x);
        asif_number_read(digits, strlen(digits), &rounded);
        x = rounded > least && rounded <= most ? rounded : x;
        if (part->cuts == 0 || x > part->cut[part->cuts - 1])
            part->cut[part->cuts++] = x;
    }
}

/* Whether a text is UTF-8 without control characters, as labels of a study must be. */
static bool is_clean(const char *text) {
    uint64_t left = strlen(text);
    while (left > 0) {
        uint32_t character, length = asif_utf8_next(text, left, &character);
        if ((character == 0xfffd && length == 1) || character < 0x20 ||
            (character >= 0x7f && character < 0xa0))
            return false;
        text += length;
        left -= length;
    }
    return true;
}

static bool are_clean(const asif_table_column *info) {
    bool clean = is_clean(info->name);
    for (uint32_t i = 0; clean && info->value && i < info->values; i++)
        clean = is_clean(info->value[i]);
    return clean;
}

static bool has_value(const asif_table_column *info, const char *value) {
    for (uint32_t i = 0; info->value && i < info->values; i++)
        if (strcmp(info->value[i], value) == 0)
            return true;
    return false;
}

static asif_status refuse_column(const draft *d, asif_role role, uint32_t column, const char *message,
                                 asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "the column `%.60s` %s", asif_columns_get(d->columns, column)->name,
              message);
    asif_error_at(error, d->file, 1, column + 1);
    asif_error_hint(error, "is it the %s? another is named with --map %s=COLUMN", asif_role_name(role),
                    asif_role_name(role));
    return ASIF_EINVALID;
}

/* Refuse a column of many values: numbers among which a few cells are texts, or texts. */
static asif_status refuse_values(const draft *d, asif_role role, uint32_t column, asif_error *error) {
    const asif_table_column *info = asif_columns_get(d->columns, column);
    asif_text cells = {.context = d->context};
    bool mixed = asif_draft_texts(&cells, info, asif_columns_rows(d->columns));
    if (!mixed || cells.failed) {
        asif_text_free(&cells);
        return refuse_column(d, role, column, "has too many different values for labels", error);
    }
    asif_clean(cells.data);
    asif_fail(error, ASIF_EINVALID, "the column `%.60s` would be numbers, but for %.300s", info->name,
              cells.data);
    asif_text_free(&cells);
    asif_error_at(error, d->file, 1, column + 1);
    asif_error_hint(error, "write numbers there, or leave the cells empty if nothing is known");
    return ASIF_EINVALID;
}

static asif_status find_labels(draft *d, asif_role role, asif_error *error) {
    drafted_role *r = &d->role[role];
    for (uint32_t i = 0; i < r->columns; i++) {
        const asif_table_column *info = asif_columns_get(d->columns, r->column[i]);
        r->part[i].info = info;
        uint64_t filled = asif_columns_rows(d->columns) - info->missing;
        bool numbers = (info->numbers == filled && filled > 0) ||
                       (!info->value && asif_draft_mixed(info, asif_columns_rows(d->columns)));
        bool labels =
            info->value && (info->values <= 2 || !numbers ||
                            (info->whole && (role == ASIF_ROLE_STATE || info->values <= MOST_VALUES)));
        if (!labels && numbers) {
            find_cuts(&r->part[i]);
        } else if (info->values == 0) {
            return refuse_column(d, role, r->column[i], "is empty", error);
        } else if (!info->value) {
            return refuse_values(d, role, r->column[i], error);
        } else if (!are_clean(info)) {
            return refuse_column(d, role, r->column[i],
                                 "holds a line break or a tab within a cell, or text that is not UTF-8",
                                 error);
        } else if (has_value(info, "any") && r->columns == 1) {
            return refuse_column(d, role, r->column[i],
                                 "has the value `any`, which in a study stands for all that are not named",
                                 error);
        }
    }
    return ASIF_OK;
}

/* Number of values that are not spellings of another, which is at least 1; part_value() is the i-th of them.
 */
static uint32_t part_values(const drafted *part) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < part->info->values; i++)
        n += asif_draft_spelling(part->info, i) == i;
    return n ? n : 1;
}

static const char *part_value(const drafted *part, uint32_t i) {
    uint32_t k = 0;
    for (; k < part->info->values; k++)
        if (asif_draft_spelling(part->info, k) == k && i-- == 0)
            break;
    return part->info->value[k];
}

static uint32_t part_labels(const drafted *part) {
    return part->cuts ? part->cuts + 1 : part_values(part);
}

static const char *part_label(const drafted *part, uint32_t i) {
    static const char *const two[] = {"low", "high"}, *const three[] = {"low", "middle", "high"};
    return part->cuts == 1 ? two[i] : part->cuts ? three[i] : part_value(part, i);
}

/* Number of labels that the columns of a role make. role_label() makes the k-th; the last column varies
 * fastest. */
static uint64_t role_labels(const drafted_role *role) {
    uint64_t product = 1;
    for (uint32_t i = 0; i < role->columns; i++)
        product *= part_labels(&role->part[i]);
    return product;
}

static void role_label(const drafted_role *role, uint64_t k, asif_text *label) {
    uint64_t rest = role_labels(role);
    label->length = 0;
    for (uint32_t i = 0; i < role->columns; i++) {
        rest /= part_labels(&role->part[i]);
        asif_text_add(label, i ? "/" : "");
        asif_text_add(label, part_label(&role->part[i], (uint32_t)(k / rest % part_labels(&role->part[i]))));
    }
}

/* Add a list of labels "key: [a, b, ...]", broken into lines. */
static void add_labels(draft *d, const char *key, const drafted_role *role) {
    asif_text *text = &d->text, label = {.context = d->context};
    uint64_t begin = text->length;
    asif_text_addf(text, "%s: [", key);
    for (uint64_t k = 0; k < role_labels(role); k++) {
        asif_text_add(text, k ? "," : "");
        if (text->length - begin > WIDTH - 20) {
            asif_text_add(text, "\n ");
            begin = text->length;
        }
        asif_text_add(text, k ? " " : "");
        role_label(role, k, &label);
        asif_draft_scalar(text, label.data ? label.data : "");
    }
    asif_text_add(text, "]\n");
    text->failed |= label.failed;
    asif_text_free(&label);
}

static const char *role_of(const draft *d, uint32_t column) {
    for (uint32_t r = 0; r < ASIF_ROLE_COUNT; r++)
        for (uint32_t i = 0; i < d->role[r].columns; i++)
            if (d->role[r].column[i] == column)
                return r == ASIF_ROLE_STATE && !d->seen ? "not used" : asif_role_name((asif_role)r);
    return "not used";
}

static void add_columns(draft *d) {
    const asif_table_column *column;
    asif_table table;
    char cell[ASIF_CELL_SIZE], rows[ASIF_CELL_SIZE];
    asif_text words = {.context = d->context}, lines = {.context = d->context};
    asif_table_init(&table, d->context, 3);
    table.left = 7;
    table.indent = 0;
    for (uint32_t i = 0; (column = asif_columns_get(d->columns, i)); i++) {
        words.length = 0;
        asif_draft_describe(&words, column, asif_columns_rows(d->columns));
        asif_clean(words.data);
        asif_label_cut(cell, column->name, 24, true);
        asif_clean(cell);
        asif_table_cell(&table, cell);
        asif_table_cell(&table, role_of(d, i));
        asif_table_cell(&table, words.data ? words.data : "");
    }
    asif_table_end(&table, &lines);
    asif_text_addf(&d->text, "#\n# Its columns (%s row%s), and what they were taken to be:\n",
                   asif_count_text(rows, asif_columns_rows(d->columns)),
                   asif_columns_rows(d->columns) == 1 ? "" : "s");
    /* The text of a table ends with a line break. */
    for (const char *line = lines.failed ? NULL : lines.data; line && *line;
         line += strcspn(line, "\n") + 1) {
        asif_text_add(&d->text, "#   ");
        asif_text_add_n(&d->text, line, strcspn(line, "\n") + 1);
    }
    d->text.failed |= words.failed || lines.failed;
    asif_text_free(&words);
    asif_text_free(&lines);
}

static void add_dynamics(draft *d) {
    asif_text *text = &d->text;
    if (d->seen) {
        add_labels(d, "states", &d->role[ASIF_ROLE_STATE]);
        add_labels(d, "actions", &d->role[ASIF_ROLE_ACTION]);
        asif_text_add(
            text,
            "\n"
            "environment:                # the world as it is\n"
            "  start: uniform            # TO FILL IN: how likely each state is at first\n"
            "  transitions: uniform      # TO FILL IN: by action, how likely each next state is; a row for "
            "each\n"
            "                            # state, in order: {ACTION: [[0.9, 0.1], [0, 1]], any: identity}\n");
    } else {
        asif_text_add(text,
                      "states: [state_1, state_2]  # TO FILL IN: what can be the case, and is not seen\n");
        add_labels(d, "actions", &d->role[ASIF_ROLE_ACTION]);
        add_labels(d, "observations", &d->role[ASIF_ROLE_OBSERVATION]);
        asif_text_add(text, "\n"
                            "environment:                # the world as it is\n"
                            "  start: uniform            # TO FILL IN: how likely each state is at first\n"
                            "  transitions: identity     # TO FILL IN: by action; identity: the state stays, "
                            "reset: a new case\n"
                            "  emissions: uniform        # TO FILL IN: how likely each observation is: a row "
                            "for each state,\n"
                            "                            # in order; for all actions, or {ACTION: [[..], "
                            "[..]], any: uniform}\n");
    }
    asif_text_add(
        text, "  # ends: [ACTION]          # TO FILL IN: actions that close an episode, if there are such\n");
}

static void add_agent(draft *d) {
    asif_text *text = &d->text, label = {.context = d->context};
    const drafted_role *action = &d->role[ASIF_ROLE_ACTION];
    asif_text_add(
        text, "\n"
              "agent:                      # the one who decides, as if\n"
              "  planner: bounded-rational\n"
              "  discount: 0.95            # TO FILL IN: how much the next step counts, compared with now\n"
              "  # worlds: [..]            # worlds it thinks possible; left out: the environment\n"
              "  utility:                  # TO FILL IN: what it wants: numbers, or names of parameters; by\n"
              "                            # state ({state_1: gain, any: 0}), or for all\n");
    uint64_t lines = role_labels(action) <= MOST_LINES ? role_labels(action) : 0;
    for (uint64_t k = 0; k < lines; k++) {
        role_label(action, k, &label);
        asif_text_add(text, "    ");
        asif_draft_scalar(text, label.data ? label.data : "");
        asif_text_add(text, ": 0\n");
    }
    asif_text_add(text, lines ? "" : "    any: 0\n");
    asif_text_add(
        text,
        "  parameters:               # a number is assumed; `learn` is estimated from logs, or set with -p\n"
        "    alpha: learn            # how erratic its choices are: 0 takes the best, inf chooses at random\n"
        "    # beta: learn           # 1/beta is optimism, where it thinks several worlds possible\n"
        "    # eta: learn            # taste for surprise\n");
    text->failed |= label.failed;
    asif_text_free(&label);
}

static void add_part(asif_text *text, const drafted *part) {
    if (!part->cuts) {
        asif_draft_scalar(text, part->info->name);
        return;
    }
    asif_text_add(text, "{column: ");
    asif_draft_scalar(text, part->info->name);
    char number[ASIF_NUMBER_SIZE];
    asif_text_add(text, ", cut: [");
    for (uint32_t i = 0; i < part->cuts; i++)
        asif_text_addf(text, "%s%s", i ? ", " : "", asif_number_text(number, part->cut[i]));
    asif_text_add(text, part->cuts == 1 ? "], labels: [low, high]}" : "], labels: [low, middle, high]}");
}

static void add_log_role(draft *d, asif_role which) {
    asif_text *text = &d->text;
    const drafted_role *role = &d->role[which];
    if (!role->columns)
        return;
    bool cut = false, codes = which == ASIF_ROLE_ACTION && !role->part[0].cuts && role->part[0].info->numbers;
    for (uint32_t i = 0; i < role->columns; i++)
        cut = cut || role->part[i].cuts;
    asif_text_add(text, cut ? "  # Cut at a third and two thirds of the rows: better where it means "
                              "something. A value at a cut\n"
                              "  # belongs to the class above.\n"
                            : "");
    asif_text_addf(text, "  %s: %s", asif_role_name(which), role->columns > 1 ? "[" : "");
    for (uint32_t i = 0; i < role->columns; i++) {
        drafted plain = {.info = asif_columns_get(d->columns, role->column[i])};
        const drafted *part = role->part[i].info ? &role->part[i] : &plain;
        asif_text_add(text, i ? ", " : "");
        add_part(text, part);
    }
    asif_text_add(text, role->columns > 1 ? "]" : "");
    asif_text_add(text, codes ? "  # numbers get names by {column: .., labels: {0: NAME, 1: NAME}}\n" : "\n");
}

static void add_cells(draft *d, const drafted_role *seen) {
    uint32_t columns = 0;
    while (asif_columns_get(d->columns, columns))
        columns++;
    bool *cut = ASIF_ARRAY(d->context, columns, bool);
    d->text.failed |= !cut;
    for (uint32_t i = 0; cut && i < seen->columns; i++)
        cut[seen->column[i]] = seen->part[i].cuts > 0;
    if (cut)
        asif_draft_cells(&d->text, d->columns, cut);
    asif_free(d->context, cut);
}

/* Cells of a role that are missing, or that are no numbers in a column that is cut. */
static uint64_t lacking(const draft *d, const drafted_role *role) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < role->columns; i++) {
        const asif_table_column *info = role->part[i].info;
        count += role->part[i].cuts ? asif_columns_rows(d->columns) - info->numbers : info->missing;
    }
    return count;
}

static void add_logs(draft *d) {
    static const asif_role roles[] = {ASIF_ROLE_SUBJECT, ASIF_ROLE_EPISODE, ASIF_ROLE_TIME, ASIF_ROLE_ACTION};
    asif_text *text = &d->text;
    asif_role seen = d->seen ? ASIF_ROLE_STATE : ASIF_ROLE_OBSERVATION;
    asif_text_add(text, "\nlogs:                       # which column is what\n");
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        add_log_role(d, roles[i]);
    if (!d->role[ASIF_ROLE_SUBJECT].columns && !d->role[ASIF_ROLE_EPISODE].columns)
        asif_text_add(
            text,
            "  # subject: COLUMN         # TO FILL IN: without this or `episode` the table is one episode\n");
    if (!d->role[ASIF_ROLE_TIME].columns)
        asif_text_add(text, "  # time: COLUMN            # left out: the order of the rows\n");
    add_log_role(d, seen);
    add_log_role(d, ASIF_ROLE_WEIGHT);
    if (!d->seen)
        asif_text_add(text, "  observes: after           # TO FILL IN: `before` if a row's observation came "
                            "before its action\n");
    add_cells(d, &d->role[seen]);
    uint64_t missing = lacking(d, &d->role[seen]) + lacking(d, &d->role[ASIF_ROLE_ACTION]);
    if (missing)
        asif_text_addf(
            text, "  missing: refuse           # %" PRIu64 " cell%s missing. %s\n", missing,
            missing == 1 ? " is" : "s are",
            d->seen ? "drop_row leaves such rows out"
                    : "not_seen: the decision-maker saw nothing; drop_episode: it was seen, not recorded");
}

static void write_draft(draft *d, const char *title) {
    asif_text *text = &d->text;
    asif_text_add(text, "# A study drafted from the table ");
    uint64_t name = text->length;
    asif_text_add(text, d->file);
    if (!text->failed)
        asif_clean(text->data + name);
    asif_text_add(text, "\n# Look at every line; what a table cannot tell is marked TO FILL IN.\n"
                        "#   asif check FILE TABLE           is it a study, and do the logs fit it?\n"
                        "#   asif count TABLE --study FILE   what is in them\n");
    add_columns(d);
    asif_text_add(text, "asif: 1\ntitle: ");
    asif_draft_scalar(text, title);
    asif_text_add(text, "\n\n");
    add_dynamics(d);
    add_agent(d);
    add_logs(d);
}

asif_status asif_report_study_template(char **out, const asif_context *context, const asif_columns *columns,
                                       const char *file, const char *title, const asif_log_map *map,
                                       asif_error *error) {
    draft d = {.context = context, .columns = columns, .file = file, .text = {.context = context}};
    *out = NULL;
    ASIF_TRY(find_roles(&d, map, error));
    ASIF_TRY(find_labels(&d, ASIF_ROLE_ACTION, error));
    asif_role seen = d.seen ? ASIF_ROLE_STATE : ASIF_ROLE_OBSERVATION;
    ASIF_TRY(find_labels(&d, seen, error));
    if (role_labels(&d.role[seen]) > MOST_CROSSED) {
        asif_fail(error, ASIF_EINVALID, "the columns of `%s` make %" PRIu64 " labels", asif_role_name(seen),
                  role_labels(&d.role[seen]));
        asif_error_hint(error, "take fewer columns, or cut them first");
        return ASIF_EINVALID;
    }
    write_draft(&d, title);
    return asif_text_finish(out, &d.text, error);
}
