/* What a question is, inside. Each has a folder here, and a row in registry.c. */
#ifndef ASIF_SRC_QUESTIONS_QUESTION_H
#define ASIF_SRC_QUESTIONS_QUESTION_H

#include "asif/ask.h"
#include "asif/fit.h"
#include "base/arena.h"

/* ---- options ---- */

/* Values as a question has them in a structure of its own; texts are borrowed from the arena. A text is a `const char *`, a
 * switch a `bool`. */
typedef struct {
    bool given;
    uint64_t value;
} asif_count_option;
typedef struct {
    bool given;
    double value;
} asif_number_option;
typedef struct {
    const char **item;
    uint32_t count;
} asif_list_option;

#define ASIF_END_OF_OPTIONS                                                                                  \
    { 0 }
/* The count that was given, or else what stands there. */
void asif_option_count(uint32_t *to, const asif_count_option *count);
void asif_option_count64(uint64_t *to, const asif_count_option *count);

/* ---- asking ---- */

#define ASIF_MOST_RESULTS 64

/* What a question is asked about; all that it opens lives as long as the answer. */
typedef struct {
    const asif_context *context;
    asif_arena arena;
    const char *const *operand; /* [operands]: copies */
    uint32_t operands;
    const void *options;     /* the question's own structure */
    asif_problems *problems; /* of this asking; may be NULL */
    uint32_t results;
    asif_result *result[ASIF_MOST_RESULTS];
    asif_log_map *map;
    asif_tree *tree;
} asif_asking;

/* The fit in a folder. */
asif_status asif_asking_fit(asif_asking *asking, const char *folder, asif_result_view *view,
                            asif_error *error);
/* The mapping of a study's section `logs`, NULL where it has none, with what `map` says ("ROLE=COLUMN"): asking->map. */
asif_status asif_asking_map(asif_asking *asking, const asif_study *study, const asif_list_option *map,
                            asif_error *error);
/* The option that asif_asking_map() reads. */
#define ASIF_MAP_OPTION(options)                                                                             \
    {                                                                                                        \
        "map", 0, ASIF_OPTION_LIST, "ROLE=COLUMN",                                                           \
            "the column of a role, whatever the study says (repeatable): subject, episode, time, action, "   \
            "observation (several with commas), state, weight, start",                                       \
            0, 0, offsetof(options, map)                                                                     \
    }
/* A note that is not about any file. */
void asif_asking_note(asif_asking *asking, const char *format, ...) ASIF_PRINTF(2, 3);

/* ---- questions ---- */

typedef struct {
    asif_question_info info;
    size_t options_size; /* of the structure that `info.option` has offsets into */
    asif_status (*run)(void **result, asif_asking *asking, asif_error *error);
    asif_status (*json)(char **out, const void *result, asif_error *error);
    asif_status (*text)(char **out, const asif_context *context, const char *json, uint64_t length,
                        const char *name, const asif_report_options *options, asif_error *error);
    asif_status (*table)(char **out, const void *result, asif_error *error); /* NULL: it has none */
    bool (*no)(const void *result);                                          /* NULL: it never says no */
    void (*free)(void *result);
} asif_question_kind;

extern const asif_question_kind *const asif_questions[]; /* ends with NULL */

/* Read what is given into the question's structure, zeroed before. */
asif_status asif_options_read(void *options, const asif_question_kind *question, asif_arena *arena,
                              const asif_given *given, uint32_t givens, asif_error *error);

#endif
