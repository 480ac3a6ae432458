/* Tables whose labels come as codes below the number of the row, as DuckDB is asked for them: the tree and
 * the problems of the same table as a text, and codes that lie. */
#include "arrow_table.h"
#include "logs/arrow/arrow_rows.h"
#include "logs/map/log_map.h"
#include "problems.h"

static asif_context *context;
static asif_setting *setting;

static int set_up(void **state) {
    (void)state;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    setting = make_diag(context, NULL);
    return setting ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    asif_setting_free(setting);
    asif_context_free(context);
    return 0;
}

enum { EPISODE, TIME, ACTION, OBSERVATION, COLUMNS };
static const char *const names[COLUMNS] = {"episode", "t", "action", "observation"};
static const char *const formats[COLUMNS] = {"l", "i", "u", "u"};

/* A database with a table of rows in any order. */
typedef struct {
    const char *cell[MOST_ROWS][COLUMNS]; /* NULL: null */
    int rows, asked, with_codes;          /* how often it was asked for rows, and for codes */
    uint64_t lie;                         /* codes of the third row that comes; 0: the true ones */
    told_table header, answer;
    char number[MOST_ROWS][24];
} base;

static int sorted[MOST_ROWS];

static int compare(const char *a, const char *b) {
    long long x = a ? strtoll(a, NULL, 10) : INT64_MAX, y = b ? strtoll(b, NULL, 10) : INT64_MAX;
    return (x > y) - (x < y);
}

static void sort_rows(const base *b) {
    for (int i = 0; i < b->rows; i++) {
        int k = i;
        for (; k > 0; k--) {
            const char *const *before = b->cell[sorted[k - 1]], *const *now = b->cell[i];
            int c = compare(before[EPISODE], now[EPISODE]);
            if (c < 0 || (c == 0 && compare(before[TIME], now[TIME]) <= 0))
                break;
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = i;
    }
}

static bool is_missing(const char *text) {
    static const char *const words[] = {"", "NA", "n/a", "N/A", "NaN", "nan", "."};
    bool found = !text;
    for (size_t i = 0; !found && i < sizeof words / sizeof *words; i++)
        found = strcmp(words[i], text) == 0;
    return found;
}

static uint64_t code_of(const asif_names *expected, const char *text) {
    uint32_t i = text ? asif_names_find(expected, text, strlen(text)) : ASIF_NO_NAME;
    return is_missing(text) ? ASIF_ARROW_MISSING : i == ASIF_NO_NAME ? ASIF_ARROW_OTHER : (uint64_t)i + 1;
}

static void add_column(told_table *to, const base *b, const char *name, const char *format, int column) {
    told_column *c = &to->column[to->columns++];
    *c = (told_column){name, format, {0}};
    for (int i = 0; i < b->rows; i++)
        c->cell[i] = column < COLUMNS ? b->cell[sorted[i]][column] : b->number[i];
}

static asif_status open_base(void *user, const asif_row_source *rows, struct ArrowArrayStream *out,
                             asif_error *error) {
    base *b = user;
    (void)error;
    if (!rows) {
        *out = stream_of(&b->header);
        return ASIF_OK;
    }
    b->asked++;
    b->answer = (told_table){.rows = b->rows, .piece = 7, .before = b->rows % 3};
    sort_rows(b);
    for (int c = 0; c < COLUMNS; c++)
        if (rows->used[c] && !rows->expected[c])
            add_column(&b->answer, b, names[c], formats[c], c);
    b->with_codes += b->answer.columns == TIME + 1;
    for (int i = 0; i < b->rows; i++) {
        uint64_t codes = 0, unit = 1;
        for (int c = 0; c < COLUMNS; c++)
            if (rows->used[c] && rows->expected[c]) {
                codes += unit * code_of(rows->expected[c], b->cell[sorted[i]][c]);
                unit *= ASIF_ARROW_CODES;
            }
        codes += unit * (uint64_t)(sorted[i] + 1);
        (void)snprintf(b->number[i], sizeof b->number[i], "%llu",
                       (unsigned long long)(b->lie && i == 2 ? b->lie : codes));
    }
    add_column(&b->answer, b, "number", "L", COLUMNS);
    *out = stream_of(&b->answer);
    return ASIF_OK;
}

static asif_status from_base(base *b, const asif_logs_options *options, asif_tree **tree,
                             asif_problems *problems, asif_error *error) {
    struct ArrowArrayStream stream = {0};
    const asif_arrow_source source = {open_base, b, true};
    b->header = (told_table){.columns = COLUMNS};
    for (int c = 0; c < COLUMNS; c++)
        b->header.column[c] = (told_column){names[c], formats[c], {0}};
    return asif_arrow_read(tree, context, &stream, &source, "logs", options, NULL, problems, error);
}

static const char *text_of(const base *b) {
    static char text[MOST_ROWS * 80];
    size_t used = (size_t)snprintf(text, sizeof text, "episode,t,action,observation\n");
    for (int i = 0; i < b->rows; i++)
        for (int c = 0; c < COLUMNS; c++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     b->cell[i][c] ? b->cell[i][c] : "", c + 1 < COLUMNS ? "," : "\n");
    return text;
}

/* Problems, but for what is said of the order of rows: it has other words for a base. */
static uint32_t count_problems(const asif_problems *problems) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < asif_problems_count(problems); i++)
        n += strstr(asif_problems_get(problems, i, NULL)->message, "sorted ") == NULL;
    return n;
}

static bool has_problem(const asif_problems *problems, const asif_error *wanted) {
    for (uint32_t i = 0; i < asif_problems_count(problems); i++) {
        const asif_error *found = asif_problems_get(problems, i, NULL);
        if (found->row == wanted->row && found->column == wanted->column &&
            strcmp(found->message, wanted->message) == 0)
            return true;
    }
    return strstr(wanted->message, "sorted ") != NULL;
}

/* ---- random tables ---- */

static uint32_t below(uint32_t limit, uint64_t *seed) {
    return (uint32_t)(make_uniform(seed) * limit);
}

/* What can be odd about a table; bits. */
enum { GAPS = 1, NULLS = 2, OTHERS = 4, FAR = 8, REPEATS = 16, DROPPED = 32, KINDS = 64 };

static char digits[MOST_ROWS][2][24];

static void add_row(base *b, int episode, long long time, const char *action, const char *observation) {
    int i = b->rows++;
    (void)snprintf(digits[i][0], sizeof digits[i][0], "%d", episode);
    (void)snprintf(digits[i][1], sizeof digits[i][1], "%lld", time);
    b->cell[i][EPISODE] = digits[i][0];
    b->cell[i][TIME] = digits[i][1];
    b->cell[i][ACTION] = action;
    b->cell[i][OBSERVATION] = observation;
}

static void random_table(base *b, int odd, uint64_t *seed) {
    static const char *const shown[] = {"negative", "positive"}, *const last[] = {"declare_healthy",
                                                                                  "declare_diseased"};
    b->rows = 0;
    for (int episode = 8; episode < 28; episode++) {
        long long time = odd & FAR ? 2000000000 + episode : odd & GAPS ? (long long)below(3, seed) : 0;
        for (int k = 0, n = 1 + (int)below(7, seed); k < n; k++) {
            bool ends = k + 1 == n;
            add_row(b, episode, time, ends ? last[below(2, seed)] : "monitor",
                    ends ? NULL : shown[below(2, seed)]);
            bool jumps = odd & GAPS && (episode < 12 || below(6, seed) == 0);
            time += jumps ? 2 : odd & REPEATS && below(20, seed) == 0 ? 0 : 1;
        }
    }
    for (int i = 0; i < b->rows; i++) {
        if (odd & NULLS && below(15, seed) == 0)
            b->cell[i][below(COLUMNS, seed)] = NULL;
        if (odd & NULLS && below(15, seed) == 0)
            b->cell[i][ACTION + (int)below(2, seed)] = "NA";
        if (odd & OTHERS && below(30, seed) == 0)
            b->cell[i][ACTION + (int)below(2, seed)] = "somethnig";
    }
    for (int i = b->rows - 1; i > 0; i--) {
        int k = (int)below((uint32_t)i + 1, seed);
        for (int c = 0; c < COLUMNS; c++) {
            const char *cell = b->cell[i][c];
            b->cell[i][c] = b->cell[k][c];
            b->cell[k][c] = cell;
        }
    }
}

static void same_as_text(void **state) {
    (void)state;
    static base b;
    uint64_t seed = 5;
    int good = 0, with_other = 0;
    for (int round = 0; round < 8 * KINDS; round++) {
        asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
        asif_log_map *map = NULL;
        asif_problems *of_base, *of_text;
        asif_tree *trees[2];
        assert_int_equal(asif_log_map_create(&map, context, NULL), ASIF_OK);
        map->missing = round % KINDS & DROPPED ? ASIF_MISSING_DROP_ROW : ASIF_MISSING_REFUSE;
        map->gaps = (asif_log_gaps)(round / KINDS % 3);
        options.setting = setting;
        options.map = map;
        random_table(&b, round % KINDS, &seed);
        b.asked = b.with_codes = 0;
        assert_int_equal(asif_problems_create(&of_base, context, 1000, NULL), ASIF_OK);
        assert_int_equal(asif_problems_create(&of_text, context, 1000, NULL), ASIF_OK);
        const char *text = text_of(&b);
        asif_status got = from_base(&b, &options, &trees[0], of_base, NULL);
        asif_status want = asif_logs_read_text(&trees[1], context, text, strlen(text), "logs", &options, NULL,
                                               of_text, NULL);
        CHECK((got == ASIF_OK) == (want == ASIF_OK), "round %d: %d, %d\n%s", round, (int)got, (int)want,
              text);
        assert_int_equal(b.header.alive + b.answer.alive, 0);
        assert_true(b.with_codes >= 1);
        with_other += b.asked > b.with_codes;
        CHECK(count_problems(of_base) == count_problems(of_text), "round %d: %u and %u problems", round,
              count_problems(of_base), count_problems(of_text));
        for (uint32_t i = 0; i < asif_problems_count(of_text); i++) {
            const asif_error *wanted = asif_problems_get(of_text, i, NULL);
            CHECK(has_problem(of_base, wanted), "round %d, row %d: %s", round, (int)wanted->row,
                  wanted->message);
        }
        if (got == ASIF_OK) {
            char *bytes[2];
            uint64_t length[2];
            for (int k = 0; k < 2; k++) {
                assert_int_equal(asif_tree_bytes(&bytes[k], &length[k], trees[k], NULL), ASIF_OK);
                asif_tree_free(trees[k]);
            }
            CHECK(length[0] == length[1] && memcmp(bytes[0], bytes[1], length[0]) == 0,
                  "round %d: other bytes", round);
            asif_memory_free(context, bytes[0]);
            asif_memory_free(context, bytes[1]);
            good++;
        }
        asif_problems_free(of_base);
        asif_problems_free(of_text);
        asif_log_map_free(map);
    }
    CHECK(good >= 20 && with_other >= 20, "%d tables are good, %d have other texts", good, with_other);
}

/* ---- codes that lie ---- */

static void codes_that_lie(void **state) {
    (void)state;
    static base b;
    static const struct {
        uint64_t codes;
        asif_status status;
        const char *message;
    } lie[] = {
        {255, ASIF_EPARSE, "the query does not number the rows"},
        {UINT64_MAX, ASIF_EPARSE, "the query does not number the rows"},
        {(uint64_t)1 << 63, ASIF_EPARSE, "the query does not number the rows"},
        {(3 << 16) + (100 << 8) + 3, ASIF_OK, ""}, /* no text has this code: nothing was seen */
        {(3 << 16) + (1 << 8) + 100, ASIF_EPARSE, "the action is missing"},
    };
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
        asif_error error = ASIF_ERROR_INIT;
        asif_tree *tree = NULL;
        options.setting = setting;
        b.rows = 0;
        for (int t = 0; t < 3; t++)
            add_row(&b, 1, t, "monitor", "negative");
        b.lie = lie[i].codes;
        asif_status status = from_base(&b, &options, &tree, NULL, &error);
        CHECK(status == lie[i].status && strstr(error.message, lie[i].message), "%zu: %d, %s", i, (int)status,
              error.message);
        assert_int_equal(b.header.alive + b.answer.alive, 0);
        asif_tree_free(tree);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_text),
        cmocka_unit_test(codes_that_lie),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
