/* Tables that users give beside their logs, pairs of episodes and pointwise log-likelihoods, and manifests:
 * what is wrong with them has a place and a hint, and reading them with too little memory ends in that status
 * with nothing left over. */
#include "asif.h"
#include "check.h"

#include "fit/folder/manifest.h"
#include "inverse/evidence/pairs.h"
#include "questions/compare/models/pointwise.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *text;
    asif_status status;
    uint32_t line, column;
    const char *message, *hint; /* parts of them; NULL: there need be none */
} row;

static bool as_expected(const row *want, asif_status status, const asif_error *error) {
    bool fine = status == want->status && error->status == status && error->line == want->line &&
                error->column == want->column && strstr(error->message, want->message) &&
                (!want->hint || strstr(error->hint, want->hint));
    if (!fine)
        print_error("%s\nstatus %d (want %d), at %u:%u (want %u:%u)\n    %s\n    hint: %s\n", want->text,
                    (int)status, (int)want->status, error->line, error->column, want->line, want->column,
                    error->message, error->hint);
    return fine;
}

/* ---- pairs ---- */

static asif_tree *make_tree(const asif_context *context) {
    static const char logs[] = "episode,t,action,observation\none,0,x,n\none,1,y,p\ntwo,0,x,p\nthree,0,y,n\n";
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *tree = NULL;
    options.units = ASIF_UNITS_EPISODES;
    assert_int_equal(
        asif_logs_read_text(&tree, context, logs, strlen(logs), "logs", &options, NULL, NULL, NULL), ASIF_OK);
    return tree;
}

static const char *write_table(const char *text) {
    static char path[64];
    (void)snprintf(path, sizeof path, "table-%ld.csv", (long)getpid());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

static void test_pairs(void **state) {
    (void)state;
    static const row rows[] = {
        {"worse,beter\none,two\n", ASIF_EINVALID, 1, 0, "there is no column `better`", "is it `beter`?"},
        {"a,b\none,two\n", ASIF_EINVALID, 1, 0, "there is no column `worse`",
         "each row of the table names the `worse` episode and the `better`"},
        {"worse,better\none,two\n\"one\"x,two\n", ASIF_EPARSE, 3, 1, "quote", NULL},
        {"worse,better\none,twoo\n", ASIF_EINVALID, 2, 2, "there is no episode `twoo`",
         "did you mean `two`?"},
        {"worse,better\none,somewhere\n", ASIF_EINVALID, 2, 2, "there is no episode `somewhere`",
         "named as in the logs"},
        {"worse,better\none,one\n", ASIF_EINVALID, 2, 2, "cannot be better than itself",
         "two different episodes"},
        {"worse,better\n,one\n", ASIF_EINVALID, 2, 1, "the row has no `worse` episode", "remove the row"},
        {"worse,better\none\n", ASIF_EINVALID, 2, 2, "the row has no `better` episode", NULL},
        {"worse,better\n", ASIF_EINVALID, 0, 0, "there are no pairs", NULL},
    };
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_tree *tree = make_tree(context);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_pairs pairs;
        asif_error error = ASIF_ERROR_INIT;
        const char *path = write_table(rows[i].text);
        asif_status status = asif_pairs_read(&pairs, context, path, false, tree, &error);
        wrong += !as_expected(&rows[i], status, &error);
        assert_string_equal(error.file, path);
        asif_pairs_free(&pairs);
        (void)unlink(path);
    }
    CHECK(wrong == 0, "%u tables are not met as they should be", wrong);
    asif_tree_free(tree);
    asif_context_free(context);
}

/* ---- pointwise tables ---- */

static void test_pointwise(void **state) {
    (void)state;
    static const row rows[] = {
        {"unit,elpd,elpd_loo\na,-1,-1\n", ASIF_EPARSE, 1, 1, "several columns are `elpd`", "keep the one"},
        {".chain,.draw\n1,1\n", ASIF_EPARSE, 1, 1, "no column is a unit", "a column `elpd_loo`"},
        {"unit,elpd\na,-1\nb\n", ASIF_EPARSE, 3, 1, "cells in the row: 1; expected 2", "cut off"},
        {"unit,elpd\na,-1\n\"b\"x,-1\n", ASIF_EPARSE, 3, 1, "quote", NULL},
        {"unit,elpd\n", ASIF_EPARSE, 1, 1, "a header and no rows", "one row for each draw"},
    };
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_pointwise *table = NULL;
        asif_error error = ASIF_ERROR_INIT;
        asif_status status =
            asif_pointwise_read_text(&table, context, rows[i].text, strlen(rows[i].text), "table", &error);
        wrong += !as_expected(&rows[i], status, &error) || table;
        asif_pointwise_free(table);
    }
    CHECK(wrong == 0, "%u tables are not met as they should be", wrong);
    asif_context_free(context);
}

/* Whose row or column is whose: by name, else by order where there are as many; the logs have the episodes
 * one, three and two, in this order. */
static void test_match(void **state) {
    (void)state;
    static const row wrong[] = {
        {"unit,elpd\none,-1\nfour,-2\nthree,-3\n", ASIF_EINVALID, 3, 1, "the logs have no unit `four`",
         "the table is of other logs"},
        {".draw,log_lik[1],log_lik[2]\n1,-1,-2\n", ASIF_EINVALID, 1, 2,
         "units in the table: 2; the logs have 3", "one column for each unit"},
        {"elpd\n-1\n-2\n-3\n-4\n", ASIF_EINVALID, 2, 1, "units in the table: 4; the logs have 3",
         "one row for each unit"},
    };
    static const struct {
        const char *text;
        uint64_t match[3];
    } right[] = {{"unit,elpd\nthree,-3\none,-1\ntwo,-2\n", {1, 0, 2}}, {"elpd\n-1\n-2\n-3\n", {0, 1, 2}}};
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_tree *tree = make_tree(context);
    asif_units units;
    assert_int_equal(asif_units_create(&units, tree, NULL, NULL), ASIF_OK);
    uint64_t match[3];
    unsigned bad = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        asif_pointwise *table = NULL;
        asif_error error = ASIF_ERROR_INIT;
        const char *text = wrong[i].text;
        assert_int_equal(asif_pointwise_read_text(&table, context, text, strlen(text), "t", NULL), ASIF_OK);
        bad += !as_expected(&wrong[i], asif_pointwise_match(match, table, &units, &error), &error);
        assert_string_equal(error.file, "t");
        asif_pointwise_free(table);
    }
    CHECK(bad == 0, "%u tables are not met as they should be", bad);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        asif_pointwise *table = NULL;
        const char *path = write_table(right[i].text);
        assert_int_equal(asif_pointwise_read(&table, context, path, NULL), ASIF_OK);
        assert_int_equal(asif_pointwise_match(match, table, &units, NULL), ASIF_OK);
        assert_memory_equal(match, right[i].match, sizeof match);
        asif_pointwise_free(table);
        (void)unlink(path);
    }
    asif_units_free(&units);
    asif_tree_free(tree);
    asif_context_free(context);
}

/* What is not there, and callers of another version. */
static void test_pointwise_calls(void **state) {
    (void)state;
    asif_context *context = NULL;
    asif_pointwise *table = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_pointwise_read(&table, context, "no-such-table.csv", &error), ASIF_ENOFILE);
    assert_string_equal(error.file, "no-such-table.csv");
    assert_int_equal(asif_pointwise_read_text(&table, context, NULL, 0, "t", NULL), ASIF_EDOMAIN);
    assert_int_equal(asif_pointwise_read_text(&table, context, "", 0, NULL, NULL), ASIF_EDOMAIN);
    assert_null(table);
    const char text[] = "unit,elpd\na,-1\n";
    assert_int_equal(asif_pointwise_read_text(&table, context, text, strlen(text), "t", NULL), ASIF_OK);
    asif_pointwise_view small = {.struct_size = 0}, large = {.struct_size = sizeof large + 1};
    assert_int_equal(asif_pointwise_get(table, &small, NULL), ASIF_EDOMAIN);
    assert_int_equal(asif_pointwise_get(table, &large, NULL), ASIF_EDOMAIN);
    assert_string_equal(asif_pointwise_unit(table, 0), "a");
    assert_null(asif_pointwise_unit(table, 1));
    asif_pointwise_free(table);
    asif_context_free(context);
}

/* ---- too little memory ---- */

#define DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
static const char by_draw[] = ".chain,a,b\n1,-1,-2\n1,-1.5,-2\n2,-1,-2.5\n2,-2,-1\n";
static const char by_unit[] = "unit,elpd,extra\na,-1,x\nb,-2,y\nc,-3,z\n";
static const char of_fit[] =
    "{asif: x, manifest: 1, key: " DIGEST ", files: [{name: fit.json, bytes: 3, sha256: " DIGEST
    "}, {name: a.csv, bytes: 0, sha256: " DIGEST "}]}";
static const char of_groups[] =
    "{asif: x, manifest: 1, key: " DIGEST ", by: site, groups: [{value: a, folder: a, key: " DIGEST
    "}, {value: b, folder: b, key: " DIGEST "}]}";

static asif_status read_pointwise(const asif_context *context, const char *text) {
    asif_pointwise *table = NULL;
    asif_status status = asif_pointwise_read_text(&table, context, text, strlen(text), "table", NULL);
    assert_true((status == ASIF_OK) == (table != NULL));
    asif_pointwise_free(table);
    return status;
}

static asif_status read_manifest(const asif_context *context, const char *text) {
    asif_manifest manifest;
    char *out = NULL;
    uint64_t length = 0;
    asif_status status = asif_manifest_read(&manifest, context, text, strlen(text), "manifest", NULL);
    if (status == ASIF_OK)
        status = asif_manifest_add(&manifest, "new.csv", "abc", 3, NULL);
    if (status == ASIF_OK)
        status = asif_manifest_text(&out, &length, &manifest, NULL);
    asif_memory_free(context, out);
    asif_manifest_free(&manifest);
    return status;
}

static asif_status read_pairs(const asif_context *context, const char *text) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *tree = NULL;
    asif_pairs pairs;
    static const char logs[] = "episode,t,action,observation\none,0,x,n\ntwo,0,x,p\n";
    options.units = ASIF_UNITS_EPISODES;
    asif_status status =
        asif_logs_read_text(&tree, context, logs, strlen(logs), "logs", &options, NULL, NULL, NULL);
    if (status == ASIF_OK) {
        status = asif_pairs_read(&pairs, context, write_table(text), false, tree, NULL);
        asif_pairs_free(&pairs);
    }
    asif_tree_free(tree);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    static const struct {
        asif_status (*read)(const asif_context *context, const char *text);
        const char *text;
    } rows[] = {{read_pointwise, by_draw},
                {read_pointwise, by_unit},
                {read_manifest, of_fit},
                {read_manifest, of_groups},
                {read_pairs, "worse,better\none,two\ntwo,one\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_status status = ASIF_ENOMEM;
        for (long left = 1; status != ASIF_OK; left++) {
            failing_memory memory = {.left = left};
            asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
            asif_context *context = NULL;
            options.reallocate = failing_reallocate;
            options.user = &memory;
            assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
            status = rows[i].read(context, rows[i].text);
            CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "%zu, %ld: %s", i, left,
                  asif_status_text(status));
            asif_context_free(context);
            assert_int_equal(memory.alive, 0);
            assert_true(left < 5000);
        }
    }
    (void)unlink(write_table(""));
}

/* ---- manifests ---- */

static void test_manifest(void **state) {
    (void)state;
    asif_context *context = NULL;
    asif_manifest manifest;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_manifest_read(&manifest, context, of_fit, strlen(of_fit), "m", &error), ASIF_OK);
    assert_int_equal(manifest.files, 2);
    /* A file that is named already is noted anew; names that leave the folder are refused. */
    assert_int_equal(asif_manifest_add(&manifest, "fit.json", "", 0, &error), ASIF_OK);
    assert_int_equal(manifest.files, 2);
    assert_string_equal(asif_manifest_find(&manifest, "fit.json")->digest,
                        DIGEST); /* of nothing: FIPS 180-4 */
    assert_null(asif_manifest_find(&manifest, "study.yaml"));
    static const char *const bad[] = {"", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a\nb", "a\x7f"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(asif_manifest_add(&manifest, bad[i], "", 0, &error), ASIF_EDOMAIN);
    asif_manifest_free(&manifest);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),     cmocka_unit_test(test_pointwise),
        cmocka_unit_test(test_match),     cmocka_unit_test(test_pointwise_calls),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_manifest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
