/* A mistake that is put into a study without one must be met with its place, what is wrong, and what to do.
 */
#ifndef ASIF_TESTS_MISTAKES_H
#define ASIF_TESTS_MISTAKES_H

#include "asif.h"
#include "check.h"

#include <string.h>

/* In the study, `instead` stands for `of`; a ^ in it marks the place that must be named. */
typedef struct {
    const char *study, *of, *instead;
    asif_status status;
    const char *message, *hint; /* parts of them; NULL: there need be none */
} mistake;

#define P ASIF_EPARSE
#define I ASIF_EINVALID

typedef struct {
    char text[4096];
    uint32_t line, column; /* of the mark */
} mistaken;

static inline mistaken put_in(const mistake *m) {
    mistaken out = {"", 1, 1};
    char marked[4096];
    const char *at = strstr(m->study, m->of);
    CHECK(at != NULL && !strstr(at + 1, m->of), "`%s` is not in the study once", m->of);
    int length = snprintf(marked, sizeof marked, "%.*s%s%s", (int)(at - m->study), m->study, m->instead,
                          at + strlen(m->of));
    CHECK(length > 0 && (size_t)length < sizeof marked, "`%s` is too long", m->instead);
    const char *mark = strchr(marked, '^');
    CHECK(mark != NULL, "`%s` has no mark", m->instead);
    for (const char *c = marked; c < mark; c++) {
        out.column = *c == '\n' ? 1 : out.column + 1;
        out.line += *c == '\n';
    }
    memcpy(out.text, marked, (size_t)(mark - marked));
    memcpy(out.text + (mark - marked), mark + 1, strlen(mark));
    return out;
}

static inline bool is_met(const asif_context *context, const mistake *m) {
    mistaken study = put_in(m);
    asif_error error = ASIF_ERROR_INIT;
    asif_study *read = NULL;
    asif_status status =
        asif_study_read_unlearnt(&read, context, study.text, strlen(study.text), NULL, NULL, &error);
    bool fine = !read && status == m->status && error.status == m->status && error.line == study.line &&
                error.column == study.column && (!m->message || strstr(error.message, m->message)) &&
                (!m->hint || strstr(error.hint, m->hint));
    if (!fine)
        print_error("%s: status %d (want %d), at %u:%u (want %u:%u)\n    %s\n    hint: %s\n", m->instead,
                    (int)status, (int)m->status, error.line, error.column, study.line, study.column,
                    error.message, error.hint);
    asif_study_free(read);
    return fine;
}

static inline void check_mistakes(const mistake *mistakes, size_t count) {
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += !is_met(context, &mistakes[i]);
    asif_context_free(context);
    CHECK(wrong == 0, "%u mistakes are not met as they should be", wrong);
}

/* The study is read, and there is nothing to say about it. */
static inline void check_good(const char *text) {
    asif_context *context = NULL;
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
    CHECK(asif_study_read(&study, context, text, strlen(text), NULL, problems, &error) == ASIF_OK, "%s",
          error.message);
    assert_int_equal(asif_problems_count(problems), 0);
    asif_study_free(study);
    asif_problems_free(problems);
    asif_context_free(context);
}

#endif
