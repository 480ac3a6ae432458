/* The text of a fit, from a fit.json written by hand: every sentence that a reader can meet. */
#include "check.h"

#include "asif.h"

#include <string.h>

static asif_context *context;

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) != ASIF_OK;
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

/* Parts of a fit; NULL: as below. */
typedef struct {
    const char *method, *group, *logs, *given, *parameters, *correlations, *maximum, *draws, *histories,
        *trust, *warnings;
} parts;

#define ALPHA                                                                                                \
    "\"log_alpha\": {\"q05\": -0.8, \"q50\": -0.5, \"q95\": -0.34, \"identified\": \"weakly\", \"bound\": "  \
    "null, "                                                                                                 \
    "\"with\": \"eta\", \"correlation\": 0.95, \"sign\": null, \"flat_below\": false, \"flat_above\": "      \
    "false, "                                                                                                \
    "\"proper\": true, \"shown\": {\"parameter\": \"alpha\", \"label\": null, \"q05\": 0.449, \"q50\": "     \
    "0.607, "                                                                                                \
    "\"q95\": 0.712}}"
#define ETA                                                                                                  \
    "\"eta\": {\"q05\": -5.2, \"q50\": 19.4, \"q95\": 53.1, \"identified\": \"weakly\", \"bound\": null, "   \
    "\"with\": \"log_alpha\", \"correlation\": 0.95, \"sign\": \"unknown\", \"flat_below\": false, "         \
    "\"flat_above\": false, \"proper\": true, \"shown\": {\"parameter\": \"eta\", \"label\": null, "         \
    "\"q05\": -5.2, "                                                                                        \
    "\"q50\": 19.4, \"q95\": 53.1}}"
#define NUTS_TRUST                                                                                           \
    "{\"good\": true, \"rhat\": 1.0021, \"rhat_of\": \"eta\", \"ess\": 1904.6, \"ess_of\": \"eta\", "        \
    "\"divergent\": 0, "                                                                                     \
    "\"deepest\": 0, \"ebfmi\": 0.95, \"accept\": 0.86}"

static const parts usual = {
    .method = "\"nuts\"",
    .group = "null",
    .logs = "{\"episodes\": 1000, \"decisions\": 4459, \"excluded\": 0}",
    .given = "{\"discount\": 0.95, \"correct\": 10, \"wrong\": -36}",
    .parameters = "{" ALPHA ", " ETA "}",
    .correlations = "[{\"a\": \"log_alpha\", \"b\": \"eta\", \"r\": 0.954}]",
    .maximum = "{\"log_posterior\": -280, \"log_likelihood\": -271.773, \"starts\": 9, \"agree\": 7, "
               "\"curved\": true}",
    .draws = "{\"chains\": 4, \"warmup\": 1000, \"draws\": 1000, \"thin\": 1, \"seed\": 3}",
    .histories =
        "[{\"history\": [], \"decisions\": 1000, \"actions\": {\"wait\": {\"observed\": 0.99, \"predicted\": "
        "0.985, \"q05\": 0.98, \"q95\": 0.991}, \"act\": {\"observed\": 0.01, \"predicted\": 0.015, \"q05\": "
        "0.009, \"q95\": 0.02}}}, {\"history\": [{\"action\": \"wait\", \"observation\": \"bad\"}, "
        "{\"action\": \"wait\", \"observation\": null}], \"decisions\": 12, \"actions\": {\"wait\": "
        "{\"observed\": 0.25, \"predicted\": 0.3, \"q05\": 0.2, \"q95\": 0.4}, \"act\": {\"observed\": 0.75, "
        "\"predicted\": 0.7, \"q05\": 0.6, \"q95\": 0.8}}}]",
    .trust = NUTS_TRUST,
    .warnings = "[]",
};

#define PART(name) (p->name ? p->name : usual.name)
static char *make_json(const parts *p) {
    char *text = malloc(20000);
    assert_non_null(text);
    snprintf(text, 20000,
             "{\"asif\": \"0.1.0\", \"title\": \"Test\", \"method\": %s, \"group\": %s, \"where\": [], "
             "\"logs\": %s, \"setting\": {\"worlds\": 3}, \"given\": %s, \"parameters\": %s, "
             "\"correlations\": %s, \"maximum\": %s, \"draws\": %s, \"histories\": %s, \"trust\": %s, "
             "\"warnings\": %s}\n",
             PART(method), PART(group), PART(logs), PART(given), PART(parameters), PART(correlations),
             PART(maximum), PART(draws), PART(histories), PART(trust), PART(warnings));
    return text;
}

/* All white space as one blank, so that it does not matter where lines break. */
static void join(char *text) {
    char *to = text;
    bool blank = false;
    for (const char *c = text; *c; c++) {
        bool white = *c == ' ' || *c == '\n';
        if (!white || !blank)
            *to++ = white ? ' ' : *c;
        blank = white;
    }
    *to = 0;
}

static char *summary_of(const parts *p, bool *trusted) {
    char *json = make_json(p), *text = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_status status =
        asif_report_summary(&text, trusted, context, json, strlen(json), "fit.json", NULL, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    free(json);
    return text;
}

static void check_says(const parts *p, bool want_trusted, const char *const *sentences) {
    bool trusted = !want_trusted;
    char *text = summary_of(p, &trusted);
    assert_int_equal(trusted, want_trusted);
    for (const char *c = text; *c;) {
        size_t length = strcspn(c, "\n");
        CHECK(length <= 80, "a line of %zu: %.*s", length, (int)length, c);
        CHECK(length == 0 || c[length - 1] != ' ', "a blank at the end of '%.*s'", (int)length, c);
        c += length + (c[length] != 0);
    }
    join(text);
    for (; *sentences; sentences++) {
        bool never = **sentences == '!';
        CHECK((strstr(text, *sentences + never) != NULL) != never, "%s'%s' in:\n%s", never ? "found " : "no ",
              *sentences, text);
    }
    asif_memory_free(context, text);
}
#define SAYS(p, trusted, ...) check_says((p), (trusted), (const char *const[]){__VA_ARGS__, NULL})

static void test_whole(void **state) {
    (void)state;
    parts p = {0};
    char *text = summary_of(&p, NULL);
    static const char want[] =
        "Test, 1,000 episodes, 4,459 decisions, 0 rows left out\n"
        "\n"
        "WHAT THEY DO (intervals are 90 %)\n"
        "  decisions  observed  fitted   interval\n"
        "      1,000    99.0 %  98.5 %  98.0-99.1  wait at the start\n"
        "         12    75.0 %  70.0 %  60.0-80.0  act after wait->bad, wait->(nothing)\n"
        "\n"
        "AS IF, assuming correct 10, wrong -36, discount 0.95 and 3 worlds\n"
        "                             median  90 % interval  identified?\n"
        "  choice randomness   alpha    0.61  0.45 to 0.71   weakly, trades off with\n"
        "                                                    taste for surprise\n"
        "  taste for surprise  eta        19  -5 to 53       weakly, trades off with\n"
        "                                                    choice randomness; the sign\n"
        "                                                    is unknown\n"
        "  Choice randomness is 0 for an agent that always takes the best action. A taste\n";
    CHECK(strncmp(text, want, strlen(want)) == 0, "%s", text);
    asif_memory_free(context, text);
    SAYS(&p, true, "These data cannot separate choice randomness from taste for surprise (r = 0.95)",
         "TRUST R-hat 1.002, effective sample size (ESS) 1,904, 0 divergent steps, E-BFMI 0.95",
         "Method nuts: 4 chains of 1,000 draws after 1,000 steps of warm-up, seed 3.",
         "The log-likelihood at the maximum is -271.77.", "!NOT TO BE TRUSTED");
}

static void test_group(void **state) {
    (void)state;
    parts p = {.group = "{\"column\": \"arm\", \"value\": \"b\"}",
               .logs = "{\"episodes\": 1, \"decisions\": 1, \"excluded\": null}"};
    SAYS(&p, true, "Test, arm = b, 1 episode, 1 decision", "!left out");
}

#define LOSSES(whole, first, second)                                                                         \
    "[], \"outcomes\": {\"losses\": {\"whole_per_decision\": {\"mean\": " whole                              \
    "}, \"bounds\": {\"consistency\": {\"per_decision\": {\"mean\": " first                                  \
    "}}, \"surprise\": {\"per_decision\": {\"mean\": " second "}}}}}"

/* A part of the cost that exceeds the whole is explained by the bound that helps. */
static void test_costs(void **state) {
    (void)state;
    parts p = {.warnings = LOSSES("0.5", "0.3", "0.2")};
    SAYS(&p, true,
         "All bounds together cost 0.50 of expected utility per decision. The most costly bound, choice "
         "randomness, costs 0.30.",
         "!because", "!more than all");
    p.warnings = LOSSES("0.5", "0.8", "-0.3");
    SAYS(&p, true,
         "All bounds together cost 0.50 of expected utility per decision. The most costly bound, choice "
         "randomness, costs 0.80. That is more than all together, because taste for surprise gains "
         "0.30.");
    p.warnings = LOSSES("-0.1", "0.2", "-0.3");
    SAYS(&p, true, "All bounds together gain 0.10 of expected utility per decision.",
         "because taste for surprise gains 0.30");
}

static void test_nothing_learnt(void **state) {
    (void)state;
    parts p = {.parameters =
                   "{\"eta\": {\"identified\": \"no\", \"sign\": \"unknown\", \"proper\": true, \"shown\": "
                   "{\"parameter\": \"eta\", \"label\": null, \"q05\": -75, \"q50\": 0.2, \"q95\": 76}}}",
               .correlations = "[]"};
    SAYS(&p, true, "taste for surprise eta 0 -75 to 76 no", "!sign",
         "These data say next to nothing about taste for surprise", "!cannot separate");
}

static void test_bounds(void **state) {
    (void)state;
    parts p = {.parameters =
                   "{\"log_alpha\": {\"identified\": \"weakly\", \"bound\": \"below\", \"with\": null, "
                   "\"flat_below\": true, \"flat_above\": false, \"shown\": {\"parameter\": \"alpha\", "
                   "\"label\": null, \"q05\": 0.004, \"q50\": 0.02, \"q95\": 0.05}}}",
               .correlations = "[]"};
    SAYS(&p, true, "upper limit weakly, lower limit no",
         "an upper limit for choice randomness (alpha at most 0.050) but no lower limit",
         "The lower end of its interval comes from the prior.");
    /* The nearer to 0 the smaller the logarithm: of a number below 0 that is above. */
    parts negative = {
        .parameters = "{\"log_alpha\": {\"identified\": \"weakly\", \"bound\": \"below\", \"with\": null, "
                      "\"flat_below\": true, \"flat_above\": false, \"shown\": {\"parameter\": \"alpha\", "
                      "\"label\": null, \"q05\": -0.05, \"q50\": -0.02, \"q95\": -0.004}}}",
        .correlations = "[]"};
    SAYS(&negative, true, "upper limit no, lower limit weakly",
         "a lower limit for choice randomness (alpha at least -0.050)", "!no lower limit");
    parts both = {
        .parameters =
            "{\"wrong\": {\"identified\": null, \"bound\": null, \"flat_below\": true, \"flat_above\": true, "
            "\"shown\": {\"parameter\": \"wrong\", \"label\": null, \"q05\": -60, \"q50\": -30, \"q95\": "
            "0}}}",
        .correlations = "[]"};
    SAYS(&both, true, "utility wrong -30", "next to nothing about wrong: no value is ruled out");
}

/* Every combination of verdict, sides and sign; no `yes` stands beside what contradicts it. */
static void test_verdicts(void **state) {
    (void)state;
    static const struct {
        const char *identified, *below, *above, *bound, *sign, *with, *near_zero, *cell;
    } rows[] = {
        {"yes", "yes", "yes", NULL, "positive", NULL, "false", "yes"},
        {"yes", "yes", "yes", NULL, NULL, NULL, "false", "yes"},
        {"yes", "yes", "yes", NULL, "unknown", NULL, "true", "yes: near zero"},
        {"weakly", "weakly", "weakly", NULL, "unknown", NULL, "false", "weakly; the sign is unknown"},
        {"weakly", "weakly", "weakly", NULL, "negative", NULL, "false", "weakly"},
        {"weakly", "weakly", "weakly", NULL, "unknown", "eta", "false",
         "weakly, trades off with taste for surprise; the sign is unknown"},
        {"weakly", "weakly", "weakly", NULL, "unknown", "eta", "true",
         "weakly, trades off with taste for surprise; the sign is unknown"},
        {"no", "no", "yes", "below", NULL, NULL, "false", "upper limit yes, lower limit no"},
        {"no", "yes", "no", "above", "positive", NULL, "false", "upper limit no, lower limit yes"},
        {"no", "no", "weakly", "below", "unknown", "eta", "false",
         "upper limit weakly, lower limit no, trades off with taste for surprise; the sign is unknown"},
        {"no", "no", "yes", "below", "unknown", NULL, "false",
         "upper limit yes, lower limit no; the sign is unknown"},
        {"no", "no", "no", NULL, "unknown", NULL, "false", "no"},
        {"no", "no", "no", "below", "positive", NULL, "false", "no"},
        {NULL, NULL, NULL, NULL, "unknown", NULL, "false", "the sign is unknown"},
        {NULL, NULL, NULL, "above", "positive", NULL, "false", "no upper limit"},
        {NULL, NULL, NULL, "below", "unknown", NULL, "false", "the sign is unknown; no lower limit"},
        {NULL, NULL, NULL, NULL, NULL, NULL, "false", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char quoted[6][16], json[2048], cell[256];
        const char *words[] = {rows[i].identified, rows[i].below, rows[i].above,
                               rows[i].bound,      rows[i].sign,  rows[i].with};
        for (size_t k = 0; k < 6; k++)
            snprintf(quoted[k], sizeof quoted[k], words[k] ? "\"%s\"" : "null", words[k]);
        snprintf(
            json, sizeof json,
            "{\"x\": {\"identified\": %s, \"identified_below\": %s, \"identified_above\": %s, \"bound\": %s, "
            "\"sign\": %s, \"with\": %s, \"near_zero\": %s, \"correlation\": 0.95, \"shown\": "
            "{\"parameter\": \"x\", \"label\": null, \"q05\": -2, \"q50\": 1, \"q95\": 3}}, \"eta\": "
            "{\"shown\": {\"parameter\": \"eta\", \"label\": null, \"q05\": 1, \"q50\": 2, \"q95\": 3}}}",
            quoted[0], quoted[1], quoted[2], quoted[3], quoted[4], quoted[5], rows[i].near_zero);
        parts p = {.parameters = json, .correlations = "[]"};
        snprintf(cell, sizeof cell, "utility x 1.0 -2.0 to 3.0%s%s taste for surprise",
                 rows[i].cell[0] ? " " : "", rows[i].cell);
        SAYS(&p, true, cell,
             rows[i].near_zero[0] == 't' ? "the sign of x, which is near zero" : "!near zero");
    }
}

static void test_distributions(void **state) {
    (void)state;
    parts p = {
        .parameters =
            "{\"action_prior.1\": {\"identified\": \"yes\", \"shown\": {\"parameter\": \"action_prior\", "
            "\"label\": \"wait\", \"q05\": 0.2, \"q50\": 0.3, \"q95\": 0.4}}}",
        .correlations = "[]"};
    SAYS(&p, true, "action prior wait 0.30 0.20 to 0.40 yes");
}

static void test_distrust(void **state) {
    (void)state;
    parts p = {
        .trust =
            "{\"good\": false, \"rhat\": 1.35, \"rhat_of\": \"eta\", \"ess\": 12, \"ess_of\": \"log_alpha\", "
            "\"divergent\": 31, \"deepest\": 0, \"ebfmi\": 0.1, \"accept\": 0.5}"};
    SAYS(&p, false,
         "NOT TO BE TRUSTED R-hat 1.35 (taste for surprise), effective sample size (ESS) 12 (choice "
         "randomness), 31 divergent steps, E-BFMI 0.10",
         "The chains disagree", "The effective sample size is too small", "Some steps diverged",
         "too slowly");
    /* Only what is wrong is said. */
    parts few = {
        .trust =
            "{\"good\": false, \"rhat\": 1.004, \"rhat_of\": \"eta\", \"ess\": 399, \"ess_of\": \"eta\", "
            "\"divergent\": 0, \"deepest\": 0, \"ebfmi\": 0.9, \"accept\": 0.8}"};
    SAYS(&few, false, "The effective sample size is too small", "!disagree", "!diverged", "!too slowly");
    parts unknown = {
        .trust =
            "{\"good\": false, \"rhat\": null, \"rhat_of\": \"eta\", \"ess\": null, \"ess_of\": \"eta\", "
            "\"divergent\": 0, \"deepest\": 0, \"ebfmi\": null, \"accept\": 0.2}"};
    SAYS(&unknown, false, "R-hat unknown", "(ESS) unknown", "20 % of steps accepted");
}

static void test_maxima(void **state) {
    (void)state;
    parts map = {.method = "\"map\"", .draws = "null", .trust = "{\"good\": true}", .correlations = "[]"};
    SAYS(&map, true, "maximum 90 % interval", "7 of 9 starts reached the same maximum",
         "Only draws (without --method) show which numbers are identified.",
         "Method map: maximum of the posterior.", "!identified?");
    parts ml = {.method = "\"ml\"",
                .draws = "null",
                .trust = "{\"good\": false}",
                .maximum = "{\"log_posterior\": null, \"log_likelihood\": -5, \"starts\": 9, \"agree\": 1, "
                           "\"curved\": false}"};
    SAYS(&ml, false, "standard errors", "1 of 9 starts", "Search from more points (--starts).",
         "a direction without curvature");
}

static void test_published(void **state) {
    (void)state;
    parts p = {.method = "\"published\"",
               .maximum = "null",
               .draws = "{\"chains\": 1, \"warmup\": 1000, \"draws\": 1000, \"thin\": 10, \"seed\": 0}",
               .trust = "{\"good\": false, \"rhat\": 1.5, \"rhat_of\": \"eta\", \"ess\": 3, \"ess_of\": "
                        "\"eta\", \"divergent\": 0, \"deepest\": 0, \"ebfmi\": null, \"accept\": 0.9}"};
    SAYS(&p, false, "there is no posterior", "The chain has not converged",
         "1 chain of 1,000 draws (one in 10 steps)");
}

static void test_warnings(void **state) {
    (void)state;
    parts p = {
        .warnings =
            "[{\"severity\": \"warning\", \"message\": \"`act` was never taken\", \"hint\": \"so be it\"}]"};
    SAYS(&p, true, "`act` was never taken. So be it.");
}

/* Labels are other people's text. */
static void test_terminal(void **state) {
    (void)state;
    parts p = {
        .histories =
            "[{\"history\": [], \"decisions\": 1, \"actions\": {\"a\\u001b[31mb\": {\"observed\": 1}}}]"};
    SAYS(&p, true, "a?[31mb at the start");
}

static void test_json_is_itself(void **state) {
    (void)state;
    parts p = {0};
    char *json = make_json(&p), *text = NULL;
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    options.json = true;
    assert_int_equal(asif_report_summary(&text, NULL, context, json, strlen(json), "f", &options, NULL),
                     ASIF_OK);
    assert_string_equal(text, json);
    asif_memory_free(context, text);
    free(json);
}

static void test_not_a_fit(void **state) {
    (void)state;
    static const char *const texts[] = {"{}",
                                        "[]",
                                        "3",
                                        "{\"method\": \"nuts\"}",
                                        "{\"method\": \"nuts\", \"parameters\": [], \"trust\": {}}",
                                        "{\"method\"",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        asif_error error = ASIF_ERROR_INIT;
        char *text = NULL;
        asif_status status =
            asif_report_summary(&text, NULL, context, texts[i], strlen(texts[i]), "x.json", NULL, &error);
        CHECK(status == ASIF_EPARSE, "'%s' gave %d", texts[i], status);
        assert_null(text);
        assert_string_equal(error.file, "x.json");
    }
}

static void test_groups(void **state) {
    (void)state;
    parts a = {.group = "{\"column\": \"arm\", \"value\": \"a\"}"};
    parts b = {.group = "{\"column\": \"arm\", \"value\": \"b\"}", .trust = "{\"good\": false, \"rhat\": 2}"};
    char *json[] = {make_json(&a), make_json(&b)}, *text = NULL;
    const char *const names[] = {"a", "b"};
    bool trusted = true;
    assert_int_equal(
        asif_report_groups(&text, &trusted, context, 2, (const char *const *)json, names, NULL, NULL, NULL),
        ASIF_OK);
    assert_false(trusted);
    join(text);
    static const char *const want[] = {
        "Test, by arm", "a 1,000 4,459 yes", "b 1,000 4,459 no",
        "choice randomness alpha a 0.61 0.45 to 0.71 weakly, trades off with taste for surprise b 0.61",
        "taste for surprise eta a 19"};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK(strstr(text, want[i]), "no '%s' in %s", want[i], text);
    asif_memory_free(context, text);
    asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
    options.json = true;
    assert_int_equal(asif_report_groups(&text, &trusted, context, 2, (const char *const *)json, names, NULL,
                                        &options, NULL),
                     ASIF_OK);
    assert_int_equal(strncmp(text, "{\"groups\": [\n{", 14), 0);
    asif_memory_free(context, text);
    free(json[0]);
    free(json[1]);
}

/* Heights are eighths of the tallest share, rounded up: 1/40, 20/40, 40/40, 10/40, 0; 5 % and 95 % lie at 1
 * and 4 of 5 bins. */
static void test_density(void **state) {
    (void)state;
    parts p = {
        .parameters =
            "{\"eta\": {\"identified\": \"yes\", \"proper\": true, \"shown\": {\"parameter\": \"eta\", "
            "\"label\": null, \"q05\": 1.1, \"q50\": 2, \"q95\": 3.9}, \"histogram\": {\"low\": 0, "
            "\"high\": 5, \"share\": [0.01, 0.2, 0.4, 0.1, 0]}}}"};
    static const struct {
        bool unicode;
        uint32_t width;
        const char *bars; /* NULL: none */
    } rows[] = {
        {false, 80, "  .|=#:|\n"},
        {true, 80, "  \xe2\x96\x81\xe2\x94\x82\xe2\x96\x84\xe2\x96\x88\xe2\x96\x82\xe2\x94\x82\n"},
        {false, 79, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *json = make_json(&p), *text = NULL;
        asif_report_options options = ASIF_REPORT_OPTIONS_INIT;
        options.unicode = rows[i].unicode;
        options.width = rows[i].width;
        assert_int_equal(
            asif_report_summary(&text, NULL, context, json, strlen(json), "fit.json", &options, NULL),
            ASIF_OK);
        if (rows[i].bars)
            CHECK(strstr(text, rows[i].bars) != NULL, "%s", text);
        CHECK((strstr(text, "Bars show") != NULL) == (rows[i].bars != NULL), "%s", text);
        for (const char *c = text; *c && !rows[i].unicode; c++)
            assert_true((unsigned char)*c < 128);
        asif_memory_free(context, text);
        free(json);
    }
}

static void test_memory(void **state) {
    (void)state;
    parts p = {0};
    char *json = make_json(&p);
    for (long left = 0;; left++) {
        failing_memory memory = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        asif_context *small = NULL;
        assert_int_equal(asif_context_create(&small, &options, NULL), ASIF_OK);
        memory.left = left;
        char *text = NULL;
        asif_status status = asif_report_summary(&text, NULL, small, json, strlen(json), "f", NULL, NULL);
        memory.left = -1;
        asif_memory_free(small, text);
        asif_context_free(small);
        assert_int_equal(memory.alive, 0);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
        assert_true(left < 10000);
    }
    free(json);
}

/* One request fails, and there is memory again: then the summary fails, too, or it is whole. */
static void test_memory_once(void **state) {
    (void)state;
    parts p = {.parameters =
                   "{\"log_alpha\": {\"identified\": \"weakly\", \"bound\": \"below\", \"with\": null, "
                   "\"flat_below\": true, \"flat_above\": false, \"shown\": {\"parameter\": \"alpha\", "
                   "\"label\": null, \"q05\": 0.004, \"q50\": 0.02, \"q95\": 0.05}}}"};
    char *json = make_json(&p), *whole = summary_of(&p, NULL);
    bool failed = true;
    for (long left = 0; failed; left++) {
        failing_memory memory = {.left = -1, .once = true};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        asif_context *small = NULL;
        assert_int_equal(asif_context_create(&small, &options, NULL), ASIF_OK);
        memory.left = left;
        char *text = NULL;
        asif_status status = asif_report_summary(&text, NULL, small, json, strlen(json), "f", NULL, NULL);
        failed = memory.left < 0;
        memory.left = -1;
        if (status == ASIF_OK)
            assert_string_equal(text, whole);
        else
            assert_int_equal(status, ASIF_ENOMEM);
        asif_memory_free(small, text);
        asif_context_free(small);
        assert_int_equal(memory.alive, 0);
        assert_true(left < 10000);
    }
    asif_memory_free(context, whole);
    free(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),          cmocka_unit_test(test_costs),
        cmocka_unit_test(test_group),          cmocka_unit_test(test_nothing_learnt),
        cmocka_unit_test(test_bounds),         cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_distributions),  cmocka_unit_test(test_distrust),
        cmocka_unit_test(test_maxima),         cmocka_unit_test(test_published),
        cmocka_unit_test(test_warnings),       cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_json_is_itself), cmocka_unit_test(test_not_a_fit),
        cmocka_unit_test(test_groups),         cmocka_unit_test(test_density),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_memory_once),
    };
    return cmocka_run_group_tests_name("summary", tests, set_up, tear_down);
}
