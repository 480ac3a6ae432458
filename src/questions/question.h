/* The interface of a question. Each has a folder here, and a row in registry.c. */
#ifndef ASIF_SRC_QUESTIONS_QUESTION_H
#define ASIF_SRC_QUESTIONS_QUESTION_H

#include "asif/ask.h"
#include "asif/fit.h"
#include "base/arena.h"

/* ---- options ---- */

/* Types of options in the structure of a question, in addition to `const char *` for a text and `bool` for a
 * switch. Texts are borrowed from the arena. */
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
/* Set `to` if the option was given; otherwise it keeps its value. */
void asif_option_count(uint32_t *to, const asif_count_option *count);
void asif_option_count64(uint64_t *to, const asif_count_option *count);

/* ---- asking ---- */

/* The inputs of a question; all that it opens lives as long as the answer. */
typedef struct {
    const asif_context *context;
    asif_arena arena;
    const char *const *operand; /* [operands]: copies of the texts */
    uint32_t operands;
    /* [operands]: fits that have already been read, or NULL; NULL: none has. */
    const asif_result *const *result;
    const asif_database_request *database; /* where the logs are; NULL: in a file */
    const void *options;                   /* the structure of the question's options */
    asif_problems *problems;               /* problems found so far; may be NULL */
    void (*tell)(void *user, asif_problems *problems, const char *line);
    void *user;
    struct asif_owned *owned; /* list of objects that are freed with the answer, see asif_asking_own() */
    asif_log_map *map;
    asif_tree *tree;
    const asif_study *study; /* the first study with labels; NULL: none has any */
} asif_asking;

/* Have an object freed with the answer, before all objects that were owned earlier. If that fails with
 * ASIF_ENOMEM, the object is freed at once. */
asif_status asif_asking_own(asif_asking *asking, void *object, void (*discard)(void *object),
                            asif_error *error);
/* Free all objects that are owned. */
void asif_asking_disown(asif_asking *asking);
/* Report the problems found so far, and clear the list, before a long computation begins. */
void asif_asking_tell(asif_asking *asking);

/* Join to "folder/name", which lives as long as the answer; NULL: no memory. */
const char *asif_asking_path(asif_asking *asking, const char *folder, const char *name);

/* Read the fit in a folder, unless the caller has passed it already. It lives as long as the answer. Fails as
 * asif_result_load() does. */
asif_status asif_asking_fit(asif_asking *asking, const char *folder, asif_result_view *view,
                            asif_error *error);
/* Set asking->map to the mapping in the study's section `logs`, changed by `map` ("ROLE=COLUMN"). It lives as
 * long as the answer. ASIF_EPARSE, ASIF_EUNKNOWN or ASIF_ENOMEM. */
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

/* Options of questions that solve the agent of a study. */
typedef struct {
    asif_list_option param;
    asif_count_option seed, resolution;
    asif_number_option tol;
} asif_solve_asked;
/* The options of such a question, for a member `solve` of its structure. */
#define ASIF_SOLVE_OPTIONS(options)                                                                          \
    {"param",                                                                                                \
     'p',                                                                                                    \
     ASIF_OPTION_LIST,                                                                                       \
     "NAME=VALUE",                                                                                           \
     "give a parameter a value, whatever the study says (repeatable); limits are 0, 0+, 0-, inf, -inf",      \
     0,                                                                                                      \
     0,                                                                                                      \
     offsetof(options, solve.param)},                                                                        \
        {"seed",                                                                                             \
         0,                                                                                                  \
         ASIF_OPTION_COUNT,                                                                                  \
         "N",                                                                                                \
         "seed of the random numbers (default 0)",                                                           \
         0,                                                                                                  \
         0,                                                                                                  \
         offsetof(options, solve.seed)},                                                                     \
        {"resolution",                                                                                       \
         0,                                                                                                  \
         ASIF_OPTION_COUNT,                                                                                  \
         "N",                                                                                                \
         "intervals on an edge of the lattice of beliefs (default: the study's, else 100)",                  \
         1,                                                                                                  \
         1e9,                                                                                                \
         offsetof(options, solve.resolution)},                                                               \
    {                                                                                                        \
        "tol", 0, ASIF_OPTION_NUMBER, "X", "residual to solve to (default: the study's, else 1e-12)",        \
            1e-300, 1, offsetof(options, solve.tol)                                                          \
    }

/* Load a study from a file, and report its problems. It lives as long as the answer, as everything that the
 * functions below make. */
asif_status asif_asking_study(asif_asking *asking, asif_study **out, const char *path, asif_error *error);
/* Make the values of the study, changed by `param`. */
asif_status asif_asking_values(asif_asking *asking, asif_theta **out, const asif_study *study,
                               const asif_list_option *param, asif_error *error);
/* Copy a theta. */
asif_status asif_asking_copy(asif_asking *asking, asif_theta **out, const asif_theta *theta,
                             asif_error *error);
/* The options of the solver: those of the study, changed by those of the question. */
asif_plan_options asif_asking_solver(const asif_study *study, const asif_solve_asked *asked);
/* Make a workspace for the planner of the study. */
asif_status asif_asking_work(asif_asking *asking, asif_work **out, const asif_study *study,
                             const asif_solve_asked *asked, asif_error *error);
/* List all parameters that the study leaves to estimation, in the arena. asif_study_left() says which of them
 * remain after `param`. */
asif_status asif_asking_specs(asif_asking *asking, asif_estimate_spec **out, uint32_t *specs,
                              const asif_study *study, asif_error *error);
/* Make estimates with the stated priors; warnings go to `problems`, which may be NULL. */
asif_status asif_asking_estimates(asif_asking *asking, asif_estimates **out, const asif_work *work,
                                  const asif_theta *given, const asif_estimate_spec *spec, uint32_t specs,
                                  asif_problems *problems, asif_error *error);
/* Read a table or a saved tree into asking->tree, as asif_logs_open() does, and report its problems. */
asif_status asif_asking_logs(asif_asking *asking, const char *path, const asif_logs_options *options,
                             asif_error *error);
/* Read the second operand for a study, with its mapping (asif_asking_map()). Without decisions in it:
 * ASIF_EINVALID. */
asif_status asif_asking_decisions(asif_asking *asking, const asif_study *study, const asif_list_option *map,
                                  asif_error *error);

/* Add a note that is not about a file. */
void asif_asking_note(asif_asking *asking, const char *format, ...) ASIF_PRINTF(2, 3);

/* ---- questions ---- */

/* Writes the JSON of an answer as text for people.
 *
 * @param out     Text, owned by the caller; with `json` in the options, a copy of the JSON.
 * @param json    [length].
 * @param name    Name of the JSON in messages.
 * @param options NULL: the defaults.
 * @return ASIF_OK, ASIF_EPARSE (not an answer of this question), ASIF_EDOMAIN or ASIF_ENOMEM. */
typedef asif_status asif_question_teller(char **out, const asif_context *context, const char *json,
                                         uint64_t length, const char *name,
                                         const asif_report_options *options, asif_error *error);

typedef struct {
    asif_question_info info;
    size_t options_size; /* size of the structure into which `info.option` has offsets */
    bool of_fit;         /* its first operand may be a fit, or fits by groups, of which each has an answer */
    asif_status (*run)(void **result, asif_asking *asking, asif_error *error);
    asif_status (*json)(char **out, const void *result, asif_error *error);
    asif_question_teller *text;
    asif_status (*table)(char **out, const void *result, asif_error *error); /* NULL: it has no table */
    /* Whether the answer is no; NULL: it never is. */
    bool (*no)(const void *result);
    void (*free)(void *result);
} asif_question_kind;

extern const asif_question_kind *const asif_questions[]; /* terminated by NULL */

/* Read the options of a question into its structure, whose bytes are 0 before. ASIF_EUNKNOWN, ASIF_EINVALID
 * or ASIF_ENOMEM. */
asif_status asif_options_read(void *options, const asif_question_kind *question, asif_arena *arena,
                              const asif_given *given, uint32_t givens, asif_error *error);

#endif
