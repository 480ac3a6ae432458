/* Mistakes that people make in tables of logs: each must be met with its row and column, what is wrong, and
 * what to do. */
#include "arrow_table.h"
#include "logs/csv/csv.h"

/* Studies that tables are read with. */
typedef enum { DIAG, CLASSES, MDP, SCORES, NONE } kind;
#define DIAG_TEXT(start)                                                                                     \
    "asif: 1\n"                                                                                              \
    "states: [healthy, diseased]\n"                                                                          \
    "actions: [declare, refer, monitor]\n"                                                                   \
    "observations: [negative, positive, broken]\n"                                                           \
    "environment:\n"                                                                                         \
    "  start: " start "\n"                                                                                   \
    "  transitions: identity\n"                                                                              \
    "  emissions: [[0.7, 0.3, 0], [0.3, 0.7, 0]]\n"                                                          \
    "  ends: [declare]\n"                                                                                    \
    "agent: {discount: 0.9, utility: {any: 1}, parameters: {alpha: 1}}\n"
static const char *const studies[] = {
    [DIAG] = DIAG_TEXT("[0.5, 0.5]"),
    [CLASSES] = DIAG_TEXT("{by: risk, low: [0.9, 0.1], high: [0.5, 0.5]}"),
    [MDP] =
        "asif: 1\nstates: [new, worn]\nactions: [keep, replace]\n"
        "environment: {start: new, transitions: {keep: [[0.5, 0.5], [0, 1]], replace: [[1, 0], [1, 0]]}}\n"
        "agent: {discount: 0.9, utility: {any: 1}, parameters: {alpha: 1}}\n",
    [SCORES] = "asif: 1\nstates: [s]\nactions: [0, 1]\nobservations: [low/no, low/yes, high/no, high/yes]\n"
               "environment: {start: [1], emissions: uniform}\n"
               "agent: {discount: 0.9, utility: {any: 1}, parameters: {alpha: 1}}\n",
};

typedef struct {
    const char *name;
    kind study;
    const char *logs; /* its section `logs`, without the braces; without a study: "role=column role=column" */
    const char *table;
    asif_status status;
    uint64_t row;
    uint32_t line, column;
    const char *message, *hint; /* parts of them; hint NULL: there need be none */
} mistake;

#define P ASIF_EPARSE
#define I ASIF_EINVALID
#define U ASIF_EUNKNOWN
#define HEAD "episode,t,action,observation\n"
#define GOOD HEAD "1,0,monitor,positive\n1,1,monitor,negative\n1,2,declare,\n"
#define NEXT "2,0,monitor,positive\n2,1,declare,negative\n"

static const mistake mistakes[] = {
    /* the file */
    {"empty file", DIAG, "", "", P, 0, 1, 1, "the table is empty", "names the columns"},
    {"only blank lines", DIAG, "", "\n\n\n", P, 0, 1, 1, "the table is empty", "names the columns"},
    {"header without rows", DIAG, "", HEAD, I, 0, 1, 0, "the table has no rows", "one row for each decision"},
    {"UTF-16", DIAG, "",
     "\xFF\xFE"
     "e\1p\1",
     P, 0, 1, 1, "UTF-16", "UTF-8"},
    {"a workbook", DIAG, "", "PK\3\4abc", P, 0, 1, 1, "a workbook, not plain text", "as CSV"},
    {"quote never closed", DIAG, "", HEAD "1,0,monitor,positive\n1,1,\"monitor,negative\n1,2,declare,\n", P,
     2, 3, 3, "a quote (\") is opened and never closed", "written twice"},
    {"text after a closing quote", DIAG, "", HEAD "1,0,\"moni\"tor,positive\n" NEXT, P, 1, 2, 3,
     "follows the closing quote", "whole cell in quotes"},
    {"header with a flaw", DIAG, "", "episode,t,\"act\"ion,observation\n", P, 0, 1, 3,
     "follows the closing quote", "quotes"},
    {"too many cells", DIAG, "", GOOD "2,0,monitor,positive,1\n2,1,declare,\n", P, 4, 5, 5,
     "the row has 5 cells, but the header has 4", "must be in quotes"},
    {"too few cells", DIAG, "", HEAD "1,0,monitor,positive\n1,1,declare\n", P, 2, 3, 4,
     "the row has 3 cells, but the header has 4", "empty cells too"},
    {"row names without a heading", DIAG, "", HEAD "1,1,0,monitor,positive\n", P, 1, 2, 5,
     "the row has 5 cells, but the header has 4", "row names"},

    /* columns */
    {"no column of the action", DIAG, "", "episode,t,choice,observation\n1,0,monitor,positive\n", U, 0, 1, 0,
     "no column is named `action`", "action=COLUMN; the columns are `episode`, `t`, `choice`, `observation`"},
    {"no header", DIAG, "", "1,0,monitor,positive\n1,1,declare,\n", U, 0, 1, 0, "no column is named `action`",
     "the first line must name the columns"},
    {"no column of the observation", DIAG, "", "episode,t,action,result\n1,0,monitor,positive\n", U, 0, 1, 0,
     "no column is named `observation`", "observation=COLUMN"},
    {"no column of the state", MDP, "", "episode,t,action,mileage\n1,0,keep,new\n", U, 0, 1, 0,
     "no column is named `state`", "state=COLUMN"},
    {"misspelt column", DIAG, "action: acton", HEAD "1,0,monitor,positive\n", U, 0, 1, 0,
     "there is no column `acton`, which is to be the action", "did you mean `action`?"},
    {"a column that is nowhere near", DIAG, "episode: patient_id", GOOD, U, 0, 1, 0,
     "there is no column `patient_id`", "the columns are `episode`, `t`"},
    {"column of weights that is not there", DIAG, "weight: n", GOOD, U, 0, 1, 0, "there is no column `n`",
     NULL},
    {"two columns of the same name", DIAG, "",
     "episode,t,action,observation,action\n1,0,monitor,positive,x\n", P, 0, 1, 5,
     "two columns are called `action`", "rename"},
    {"an observation where the state is seen", MDP, "observation: x", "episode,t,action,x\n1,0,keep,new\n", I,
     0, 1, 0, "the agent sees the state", "`state`"},
    {"a state where observations are", DIAG, "state: x", "episode,t,action,x\n1,0,monitor,new\n", I, 0, 1, 0,
     "the study has observations", "`observation`"},
    {"one of crossed columns is not there", SCORES, "observation: [score, tested]",
     "episode,action,score,test\n1,0,low,no\n", U, 0, 1, 0, "there is no column `tested`",
     "did you mean `test`?"},
    {"classes that are not as many as the labels", SCORES, "observation: {column: x, cut: [0.5]}",
     "episode,action,x\n1,0,3\n", I, 0, 1, 3, "make 2 labels (`0`, ...), but there are 4 observations",
     "n cuts make n + 1"},
    {"crossed classes that are not as many", SCORES,
     "observation: [{column: x, cut: [0.5]}, {column: y, cut: [1, 2]}]", "episode,action,x,y\n1,0,3,4\n", I,
     0, 1, 3, "make 6 labels (`0/0`, ...), but there are 4 observations", "`a/b`"},

    /* labels */
    {"unknown action", DIAG, "", HEAD "1,0,monitor,positive\n1,1,monitr,negative\n1,2,declare,\n", P, 2, 3, 3,
     "there is no action `monitr`", "did you mean `monitor`?"},
    {"unknown action with no neighbour", DIAG, "", HEAD "1,0,sleep,positive\n", P, 1, 2, 3,
     "there is no action `sleep`", "the actions are `declare`, `refer`, `monitor`"},
    {"capital letters", DIAG, "", HEAD "1,0,monitor,POSITIVE\n", P, 1, 2, 4,
     "there is no observation `POSITIVE`", "did you mean `positive`?"},
    {"number written otherwise", SCORES, "observation: o", "episode,action,o\n1,1.0,low/no\n", P, 1, 2, 2,
     "there is no action `1.0`", "write `1`"},
    {"unknown state", MDP, "", "episode,t,action,state\n1,0,keep,new\n1,1,keep,wron\n", P, 2, 3, 4,
     "there is no state `wron`", "did you mean `worn`?"},
    {"value without a label", DIAG, "action: {column: act, labels: {0: monitor, 1: declare}}",
     "episode,t,act,observation\n1,0,0,positive\n1,1,2,negative\n", P, 2, 3, 3,
     "`2` is not among the `labels` of the column `act`", "`0`, `1`"},
    {"missing in quotes is a text", DIAG, "missing: not_seen", HEAD "1,0,monitor,\"NA\"\n1,1,declare,\n", P,
     1, 2, 4, "there is no observation `NA`", "without them the cell would be missing"},
    {"crossed label that is none", SCORES, "observation: [x, y]",
     "episode,action,x,y\n1,0,low,no\n1,0,high,maybe\n", P, 2, 3, 3, "there is no observation `high/maybe`",
     "the observations are `low/no`"},
    {"text in a column that is cut", SCORES, "observation: [{column: x, cut: [0.5], labels: [low, high]}, y]",
     "episode,action,x,y\n1,0,0.2,no\n1,0,none,no\n", P, 2, 3, 3,
     "the column `x` is cut, but `none` is not a number", "missing_values"},
    {"decimal comma in a column that is cut", SCORES,
     "observation: [{column: x, cut: [0.5], labels: [low, high]}, y]", "episode;action;x;y\n1;0;0,2;no\n", P,
     1, 2, 3, "`0,2` is not a number", "with a point"},
    {"a number that is not plausible", SCORES,
     "observation: [{column: x, cut: [0.5], labels: [low, high]}, y], columns: {x: {range: [0, 1]}}",
     "episode,action,x,y\n1,0,0.2,no\n1,0,-2,no\n", P, 2, 3, 3,
     "the number is outside the range of the column `x`, 0 to 1", "outside: missing"},
    {"a text in a column with a range", SCORES,
     "observation: [{column: x, labels: {a: low, b: high}}, y], columns: {x: {range: [0, 1]}}",
     "episode,action,x,y\n1,0,a,no\n", P, 1, 2, 3, "has a `range`, but `a` is not a number", "`recode`"},
    {"no such day", DIAG, "columns: {t: {date: \"%m/%d/%Y\"}}",
     HEAD "1,2/28/2019,monitor,positive\n1,2/29/2019,declare,\n", P, 2, 3, 2,
     "`2/29/2019` is not a date of the form %m/%d/%Y", "correct the cell"},
    {"two columns with a rule", DIAG, "columns: {x: {recode: {a: b}}}",
     "episode,t,action,observation,x,x\n1,0,declare,,a,a\n", P, 0, 1, 6, "two columns are called `x`",
     "rename"},

    /* missing cells */
    {"missing action", DIAG, "", HEAD "1,0,monitor,positive\n1,1,,negative\n1,2,declare,\n", P, 2, 3, 3,
     "the action is missing", "drop_row"},
    {"missing action where nothing seen is fine", DIAG, "missing: not_seen", HEAD "1,0,NA,positive\n", P, 1,
     2, 3, "the action is missing", "drop_row"},
    {"missing observation", DIAG, "", HEAD "1,0,monitor,\n1,1,declare,\n", P, 1, 2, 4,
     "the observation is missing, and it is not the last of its episode", "not_seen"},
    {"missing observation, n/a", DIAG, "", HEAD "1,0,monitor,n/a\n1,1,declare,NaN\n", P, 1, 2, 4,
     "the observation is missing", "not_seen"},
    {"missing observation before an action", DIAG, "observes: before, initial_observation: monitor",
     HEAD "1,0,monitor,positive\n1,1,monitor,.\n1,2,declare,negative\n", P, 2, 3, 4,
     "the observation is missing", "not_seen"},
    {"missing state", MDP, "missing: not_seen", "episode,t,action,state\n1,0,keep,new\n1,1,keep,N/A\n", P, 2,
     3, 4, "the state is missing", "drop_row"},
    {"missing part of an observation", SCORES, "observation: [x, y]",
     "episode,action,x,y\n1,0,low,\n1,0,low,no\n", P, 1, 2, 3, "the observation is missing", "not_seen"},
    {"missing episode", DIAG, "", HEAD "1,0,monitor,positive\n,1,declare,\n", P, 2, 3, 1,
     "the episode is missing", "drop_row"},
    {"missing time", DIAG, "", HEAD "1,0,monitor,positive\n1,NA,declare,\n", P, 2, 3, 2,
     "the time is missing", "drop_row"},
    {"missing subject", DIAG, "", "subject,action,observation\na,monitor,positive\n,declare,\n", P, 2, 3, 1,
     "the subject is missing", "drop_row"},
    {"missing weight", DIAG, "weight: w", "episode,action,observation,w\n1,monitor,positive,2\n1,declare,,\n",
     P, 2, 3, 4, "the weight is missing", "drop_row"},
    {"all rows left out", DIAG, "missing: drop_row", HEAD "1,0,,positive\n1,1,,\n", I, 0, 0, 0,
     "no row is left", NULL},

    /* times */
    {"time twice", DIAG, "", HEAD "1,0,monitor,positive\n1,1,monitor,negative\n1,1,declare,\n", I, 3, 4, 2,
     "time 1 repeats in the episode (first in row 2)", "subject=COLUMN"},
    {"time twice, not side by side", DIAG, "",
     HEAD "1,1,monitor,positive\n1,0,monitor,negative\n1,1.0,monitor,\n", I, 3, 4, 2,
     "time 1 repeats in the episode (first in row 1)", NULL},
    {"several episodes that nothing tells apart", DIAG, "",
     "t,action,observation\n0,monitor,positive\n1,monitor,negative\n0,monitor,negative\n", I, 3, 4, 1,
     "time 0 repeats", "episode=COLUMN"},
    {"the same date twice", DIAG, "", HEAD "1,2019-03-01,monitor,positive\n1,2019-03-01T00:00,declare,\n", I,
     2, 3, 2, "repeats in the episode (first in row 1)", NULL},
    {"text times twice", DIAG, "", HEAD "1,baseline,monitor,positive\n1,baseline,declare,\n", I, 2, 3, 2,
     "time baseline repeats in the episode (first in row 1)", NULL},
    {"a gap that is refused", DIAG, "gaps: refuse", HEAD "1,0,monitor,positive\n1,3,declare,\n", P, 2, 3, 2,
     "time goes from 0 (row 1) to 3: a gap", "gaps: cut"},

    /* episodes */
    {"rows after an ending action", DIAG, "",
     HEAD "1,0,declare,positive\n1,1,monitor,negative\n1,2,declare,\n", P, 2, 3, 1,
     "a row follows `declare` (row 1), which ends an episode", "its `episode` must be another"},
    {"rows after an ending action, without episodes", DIAG, "",
     "subject,t,action,observation\na,0,monitor,positive\na,1,declare,\na,2,monitor,positive\n", P, 3, 4, 0,
     "a row follows `declare` (row 2), which ends an episode", "episode=COLUMN"},
    {"rows after an ending action, out of order", DIAG, "",
     HEAD "1,2,monitor,negative\n1,0,monitor,positive\n1,1,declare,negative\n", P, 1, 2, 1,
     "a row follows `declare` (row 3), which ends an episode", NULL},
    {"observation that is impossible", DIAG, "",
     HEAD "1,0,monitor,positive\n1,1,monitor,broken\n1,2,declare,\n", P, 2, 3, 4,
     "`broken` cannot follow `monitor`: no world of the agent allows it", "is the label right?"},
    {"impossible observation at the end", DIAG, "", HEAD "1,0,refer,broken\n", P, 1, 2, 4,
     "`broken` cannot follow `refer`", NULL},
    {"impossible first observation", DIAG, "observes: before, initial_observation: monitor",
     HEAD "1,0,refer,broken\n1,1,declare,positive\n", P, 1, 2, 4, "`broken` cannot follow `monitor`", NULL},
    {"observation before the first action", DIAG, "observes: before",
     HEAD "1,0,monitor,positive\n1,1,declare,negative\n", P, 1, 2, 4,
     "an observation comes before the first action", "initial_observation: ACTION"},

    /* weights, classes, covariates */
    {"negative weight", DIAG, "weight: w", "episode,action,observation,w\n1,declare,,-1\n", P, 1, 2, 4,
     "the weight must be 0 or more, not -1", "how often"},
    {"infinite weight", DIAG, "weight: w", "episode,action,observation,w\n1,declare,,inf\n", P, 1, 2, 4,
     "the weight must be 0 or more", NULL},
    {"weight that is no number", DIAG, "weight: w", "episode,action,observation,w\n1,declare,,two\n", P, 1, 2,
     4, "the weight must be a number, not `two`", "counts once has 1"},
    {"no column of start classes", CLASSES, "", GOOD, U, 0, 1, 0, "there is no column `risk`",
     "the columns are"},
    {"unknown start class", CLASSES, "", "episode,action,observation,risk\n1,declare,,hihg\n", P, 1, 2, 4,
     "there is no start class `hihg`", "did you mean `high`?"},
    {"missing start class", CLASSES, "", "episode,action,observation,risk\n1,declare,,NA\n", P, 1, 2, 4,
     "the start class is missing", NULL},
    {"start class that changes", CLASSES, "",
     "episode,action,observation,risk\n1,monitor,positive,low\n1,declare,,high\n", P, 2, 3, 4,
     "the start class changes within an episode, to `high`", "all its rows the same"},

    /* rules that need something of the table */
    {"a beginning without times", DIAG, "begin: 0", "episode,action,observation\n1,declare,\n", I, 0, 1, 0,
     "`begin` needs a column of the time", "time=COLUMN"},
    {"numbers that do not differ", DIAG, "observation: {column: score, cut: mean +- 0.5 sd}",
     "episode,action,score\n1,monitor,3\n1,monitor,3\n", I, 0, 1, 3, "its numbers do not differ", NULL},
    {"a single number", DIAG, "observation: {column: score, cut: mean +- 0.5 sd}",
     "episode,action,score\n1,monitor,3\n1,declare,\n", I, 0, 1, 3, "fewer than two numbers", NULL},
    {"a label where the state is seen", MDP, "label: truth", "episode,action,state,truth\n1,keep,new,new\n",
     ASIF_EUNSUPPORTED, 0, 1, 0, "the agent sees the state", "leave `label` out"},

    /* where lines and rows differ */
    {"after blank lines", DIAG, "", HEAD "\n1,0,monitor,positive\n\n\n1,1,oops,negative\n", P, 2, 6, 3,
     "there is no action `oops`", NULL},
    {"after a line break in quotes", DIAG, "",
     "episode,t,note,action,observation\n1,0,\"two\nlines\",monitor,positive\n"
     "1,1,\"a\r\nb\rc\",monitor,positive\n1,2,x,oops,\n",
     P, 3, 7, 4, "there is no action `oops`", NULL},
    {"Windows line ends", DIAG, "", "episode,t,action,observation\r\n1,0,monitor,positive\r\n1,1,oops,\r\n",
     P, 2, 3, 3, "there is no action `oops`", NULL},
    {"old Macintosh line ends", DIAG, "", "episode,t,action,observation\r1,0,monitor,positive\r1,1,oops,\r",
     P, 2, 3, 3, "there is no action `oops`", NULL},
    {"tabs", DIAG, "", "episode\tt\taction\tobservation\n1\t0\toops\tpositive\n", P, 1, 2, 3,
     "there is no action `oops`", NULL},

    /* without a study */
    {"no action, no study", NONE, "", "id,choice,result\n1,a,b\n", U, 0, 1, 0, "no column is named `action`",
     "action=COLUMN"},
    {"nothing seen, no study", NONE, "action=choice", "id,choice,result\n1,a,b\n", U, 0, 1, 0,
     "no column is named `observation`", "observation=COLUMN; the columns are `id`, `choice`, `result`"},
    {"missing observation, no study", NONE, "", HEAD "1,0,a,\n1,1,b,x\n", P, 1, 2, 4,
     "the observation is missing", NULL},
    {"start classes, no study", NONE, "start=t", GOOD, I, 0, 1, 0, "there are no start classes",
     "start: {by: COLUMN"},
};

static asif_study *study_of(const asif_context *context, const mistake *m) {
    char text[2048];
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    snprintf(text, sizeof text, "%slogs: {%s}\n", studies[m->study], m->logs);
    CHECK(asif_study_read(&study, context, text, strlen(text), NULL, NULL, &error) == ASIF_OK,
          "%s: %u:%u: %s", m->name, error.line, error.column, error.message);
    return study;
}

static asif_log_map *map_of(const asif_context *context, const char *pairs) {
    asif_log_map *map = NULL;
    char copy[256];
    assert_int_equal(asif_log_map_create(&map, context, NULL), ASIF_OK);
    snprintf(copy, sizeof copy, "%s", pairs);
    for (char *pair = strtok(copy, " "); pair; pair = strtok(NULL, " ")) {
        char *equals = strchr(pair, '=');
        *equals = 0;
        assert_int_equal(asif_log_map_set(map, pair, equals + 1, NULL), ASIF_OK);
    }
    return map;
}

/* ---- the same table as an Arrow stream of texts ---- */

typedef struct {
    const char *text;
    uint64_t left;
} letters;

static asif_status read_letters(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    letters *l = user;
    (void)error;
    *got = l->left < room ? l->left : room;
    memcpy(to, l->text, *got);
    l->text += *got;
    l->left -= *got;
    return ASIF_OK;
}

/* False: the mistake is one of the text itself, which a stream cannot have. Cells are kept in `room`. */
static bool make_table(const asif_context *context, const mistake *m, told_table *table, char *room) {
    letters bytes = {m->table, strlen(m->table)};
    asif_csv_reader csv;
    bool more = true;
    bool good = asif_csv_open(&csv, context, (asif_csv_source){read_letters, &bytes}, "", 0, NULL) == ASIF_OK;
    *table = (told_table){.columns = (int)csv.cells, .piece = 1};
    good = good && csv.cells <= MOST_COLUMNS;
    for (bool header = true; good && more; header = false) {
        for (uint32_t i = 0; good && i < csv.cells; i++) {
            size_t size = (size_t)csv.cell[i].length + 1;
            memcpy(room, csv.cell[i].text, size);
            if (header)
                table->column[i] = (told_column){room, "u", {0}};
            else
                table->column[i].cell[table->rows] = size > 1 ? room : NULL;
            good = !csv.cell[i].quoted;
            room += size;
        }
        table->rows += !header;
        good = good && asif_csv_next(&csv, &more, NULL) == ASIF_OK && csv.flaw.status == ASIF_OK &&
               (!more || (int)csv.cells == table->columns);
    }
    asif_csv_close(&csv);
    return good;
}

static bool meets(const asif_context *context, const mistake *m, uint64_t length, told_table *table) {
    asif_study *study = m->study == NONE ? NULL : study_of(context, m);
    asif_log_map *map = study ? NULL : map_of(context, m->logs);
    asif_problems *problems = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree = NULL;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.map = study ? asif_study_logs(study) : map;
    options.setting = study ? asif_study_setting(study) : NULL;
    assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
    struct ArrowArrayStream stream = {0};
    if (table)
        stream = stream_of(table);
    asif_status status =
        table ? asif_logs_read_arrow(&tree, context, &stream, "table.csv", &options, NULL, problems, &error)
              : asif_logs_read_text(&tree, context, m->table, length, "table.csv", &options, NULL, problems,
                                    &error);
    bool fine = !tree && status == m->status && error.status == m->status && error.row == m->row &&
                error.line == (table ? 0 : m->line) && error.column == m->column &&
                strcmp(error.file, "table.csv") == 0 && strstr(error.message, m->message) &&
                (!m->hint || strstr(error.hint, m->hint)) &&
                asif_problems_found(problems, ASIF_PROBLEM_ERROR) == 1;
    if (!fine)
        print_error("%s: status %d (want %d), row %d (%d), line %u (%u), column %u (%u), %d errors\n    %s\n "
                    "   hint: %s\n",
                    m->name, (int)status, (int)m->status, (int)error.row, (int)m->row, error.line, m->line,
                    error.column, m->column, (int)asif_problems_found(problems, ASIF_PROBLEM_ERROR),
                    error.message, error.hint);
    asif_tree_free(tree);
    asif_problems_free(problems);
    asif_log_map_free(map);
    asif_study_free(study);
    return fine;
}

static void test_mistakes(void **state) {
    (void)state;
    asif_context *context = NULL;
    unsigned wrong = 0, streams = 0;
    static char room[1 << 16];
    static told_table table;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        wrong += !meets(context, &mistakes[i], strlen(mistakes[i].table), NULL);
        if (make_table(context, &mistakes[i], &table, room)) {
            wrong += !meets(context, &mistakes[i], 0, &table);
            streams++;
        }
    }
    static const char zero[] = HEAD "1,0,mon\0itor,positive\n";
    mistake m = {"a byte 0", DIAG, "", zero, P, 1, 2, 3, "a byte 0", "UTF-8"};
    wrong += !meets(context, &m, sizeof zero - 1, NULL);
    asif_context_free(context);
    CHECK(wrong == 0, "%u mistakes are not met as they should be", wrong);
    assert_true(sizeof mistakes / sizeof *mistakes >= 50 && streams >= 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
