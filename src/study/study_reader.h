/* The reader of a study: what has been read from the sections so far (the draft), and the problems found. */
#ifndef ASIF_SRC_STUDY_STUDY_READER_H
#define ASIF_SRC_STUDY_STUDY_READER_H

#include "asif/dynamics.h"
#include "asif/formats.h"
#include "asif/inverse.h"
#include "asif/logs.h"
#include "asif/people.h"
#include "asif/study.h"
#include "base/arena.h"
#include "base/data/yaml.h"
#include "base/sha256.h"
#include "base/text.h"
#include "planners/planner.h"
#include "study/study.h"

/* Special values of a matrix index. */
#define ASIF_READER_UNSET UINT32_MAX
#define ASIF_READER_RESET                                                                                    \
    (UINT32_MAX - 1) /* rows drawn from `reset`, which can differ between environment and agent */
#define ASIF_READER_TERMINAL (UINT32_MAX - 2) /* nothing follows, and the state stays what it is */

typedef struct {
    const char *what;        /* "state" */
    uint32_t count;          /* 0: not known */
    const char *const *name; /* NULL: the numbers from 0 */
} asif_labels;

#define ASIF_READER_PARTS 8 /* most parts of a state */
/* A part of the state: seen parts come first. */
typedef struct {
    const char *name;
    asif_labels values;
} asif_reader_part;

/* A start distribution, or one for each start class (the classes are values of a column of the logs). */
typedef struct {
    const asif_yaml *at;
    uint32_t classes;                 /* 0: not in the study */
    const char *column, *const *name; /* NULL: one class */
    double *p;                        /* [classes][states] */
    /* [classes]: node that marks the class `learn`, else NULL; NULL: none is marked. */
    const asif_yaml **learn;
    const char **prior; /* [classes]: priors of the marked classes */
} asif_starts;

/* A distribution that is to be estimated. */
typedef struct {
    asif_distribution which;
    uint32_t start; /* start class */
    const asif_yaml *at;
    const char *prior; /* NULL: the default */
} asif_learnt;

typedef struct {
    double weight;
    const asif_yaml *weight_at;        /* NULL: not in the study */
    double share;                      /* of the uniform world that the environment is mixed with; 0: none */
    uint32_t *transitions, *emissions; /* [actions] */
} asif_world;

/* One of the environments in the section `inverse`. */
typedef struct {
    const char *name;
    uint32_t *transitions; /* [actions] */
} asif_reader_environment;

/* Transitions to be learnt from logs: the node that marks them, and the actions that share them. */
typedef struct {
    const asif_yaml *at;
    const char *name;       /* NULL: none */
    bool increments, whole; /* whole: from `transitions: learn`, which makes a part for each action */
    int32_t least, most;
    bool *action;     /* [actions] */
    uint32_t *origin; /* [actions] */
} asif_unlearnt;

/* What of the dynamics a table holds. */
typedef enum { ASIF_READER_TRANSITIONS, ASIF_READER_EMISSIONS, ASIF_READER_START } asif_matrix_kind;

/* Tables of hidden dynamics to be learnt from logs, marked by one node. */
typedef struct {
    const asif_yaml *at;
    asif_matrix_kind which;
    uint32_t column; /* column of crossed observations; ASIF_ANY: none */
    uint32_t row;    /* start class */
    bool whole;      /* the node stands for all actions */
    bool shared;     /* one table for all its actions; else one for each */
    bool *action;    /* [actions] */
    bool *possible;  /* [columns of the table] */
} asif_hidden_mark;

/* A parameter as written in the study. */
typedef struct {
    const char *name;
    const asif_yaml *at;
    bool learn, utility, used, bad; /* bad: a problem was reported, and the value must not be used */
    bool negative;                  /* an estimated alpha below 0 */
    bool undeclared; /* placeholder for an unknown name in the utility, so that it is reported only once */
    double value, standard; /* NaN: none */
    const char *prior;      /* NULL: the default */
    uint32_t index;         /* index among the parameters of the utility */
    bool many;              /* a pattern: stands for all utility parameters that begin with `name` */
} asif_reader_parameter;

typedef struct asif_preset asif_preset;
typedef struct asif_block asif_block;

typedef struct asif_reader {
    const asif_context *context;
    asif_block *blocks; /* memory that is freed when reading ends */
    uint64_t used;
    bool stop; /* out of memory or beyond the limit on memory: nothing further is read */

    const char *file, *folder; /* folder NULL: the study may not name files */
    const char *text;
    uint64_t length; /* of the text */
    const asif_yaml *root;
    asif_problems *problems;
    uint32_t listed; /* number of problems in the list before reading began */
    asif_error first, current;
    uint32_t first_line, first_column, line, column; /* positions in the study of `first` and `current` */
    asif_severity severity;
    bool pending; /* `current` is not in the list yet, because a hint may follow */

    const char *title, *caveat, *planner;
    const char *inverse; /* name in the registry */
    const asif_yaml *planner_at, *inverse_at;
    asif_inverse_options inverse_options;
    asif_reader_environment *environment;
    uint64_t environments, environment_room;
    const asif_yaml *environments_at; /* NULL: not in the study */
    asif_labels states, actions, observations;
    asif_study_label *label; /* of the section `labels` */
    uint64_t label_count, label_room;
    uint32_t observation_columns; /* 0: observations are not crossed from columns */
    asif_observation_column *observation_column;
    bool sees_states; /* no observations: full observability */
    /* States of which a part is seen are crossed from parts, those that are seen first; 0 parts: they are
     * not. Observations are then crossed from the seen value and what is shown beside it. */
    const asif_yaml *parts_at;
    uint32_t parts, seen_parts, seen_values, hidden_values;
    asif_reader_part *part;
    asif_labels seen_labels, hidden_labels, shown;

    /* conditions.c: columns of the logs by which the study differs; the study in this one of their
     * combinations; the drafts of those before it, which are all read before the last one. */
    uint32_t bys, conditions, condition; /* conditions 0: nothing differs */
    asif_reader_part *by;
    const struct asif_reader *before;
    struct asif_by_name {
        const char *name, *here; /* a parameter by condition, and what it is called in this one */
    } * by_name;
    uint64_t by_names, by_name_room;

    const char **named; /* files that the study names, as written */
    uint64_t nameds, named_room;
    asif_sha256 digest; /* of the study and of every file that it names, as they were read */
    asif_setting *from_file;
    const asif_yaml *file_at;
    bool averaged;

    asif_matrix *matrix;
    uint64_t matrices, matrix_room;
    uint32_t *transitions, *emissions; /* [actions], of the environment */
    bool transitions_known, emissions_known;
    asif_starts start, agent_start, reset;
    const asif_yaml *reset_at; /* first node that uses `reset` */
    bool *ends, *terminal;
    uint32_t horizon; /* decisions of an episode; 0: no limit */
    bool *stops;      /* [actions]: nothing follows the action; NULL: the spaces are not known */
    bool *available;  /* [seen values][actions]: the action can be taken; NULL: all can */
    const asif_yaml *available_at;
    const asif_yaml *increments_at; /* the section of named increments */
    bool *increments_used;
    asif_unlearnt *unlearnt;
    uint64_t unlearnts, unlearnt_room;
    bool may_be_unlearnt, unlearnt_said;
    asif_hidden_mark *hidden;
    uint64_t hiddens, hidden_room;
    double **column_table; /* [actions][observation columns]: emissions by column; NULL: not by column */

    asif_world *world;
    uint64_t worlds, world_room;
    const asif_yaml *worlds_at;
    double *action_prior, *belief_prior, *world_weights; /* NULL: not in the study */
    const asif_yaml *action_prior_at;
    double *means; /* [actions][states], NaN for an action without a mean; NULL: no action has one */
    const asif_yaml *means_at;
    double discount; /* NaN: none */
    const asif_yaml *discount_at;

    asif_reader_parameter *parameter;
    uint64_t parameters, parameter_room;
    asif_reader_parameter *pattern; /* parameters whose names end in `*`; stored without it */
    uint64_t patterns, pattern_room;
    uint32_t utilities;
    const asif_yaml *parameters_at;
    bool parameters_misspelt;
    asif_learnt *learnt;
    uint64_t learnts, learnt_room;
    asif_utility_term *term;
    uint64_t terms, term_room;
    bool utility_given;
    /* A term of the utility by observation, and one by belief. */
    const asif_yaml *by_observation_at, *by_belief_at;
    const asif_yaml *beliefs_at; /* NULL: the study does not say which beliefs the solver takes */
    bool resolution_said;        /* it gives the resolution of a lattice as a number */

    const asif_preset *preset;
    const asif_yaml *preset_at;
    asif_plan_options solver;
    asif_log_map *logs;         /* NULL: not in the study */
    asif_people_effect *effect; /* covariates of parameters over people */
    uint64_t effects, effect_room;
    uint32_t kinds; /* of people; 0: not stated */
} asif_reader;

/* Zeroed memory that lives until the draft ends; NULL after setting `stop`. */
void *asif_reader_alloc(asif_reader *draft, uint64_t count, size_t size);
/* Make room for one more entry in an array from asif_reader_alloc(). */
bool asif_reader_grow(asif_reader *draft, void *array, uint64_t count, uint64_t *room, size_t size);
void asif_reader_free(asif_reader *draft);

/* Report a problem at a node (NULL: at the top of the file); a hint may follow. This function and those for
 * errors and hints return false. */
bool asif_reader_problem(asif_reader *draft, asif_severity severity, asif_status status, const asif_yaml *at,
                         const char *format, ...) ASIF_PRINTF(5, 6);
#define asif_reader_parse_error(draft, at, ...)                                                              \
    asif_reader_problem(draft, ASIF_PROBLEM_ERROR, ASIF_EPARSE, at, __VA_ARGS__)
#define asif_reader_error(draft, at, ...)                                                                    \
    asif_reader_problem(draft, ASIF_PROBLEM_ERROR, ASIF_EINVALID, at, __VA_ARGS__)
bool asif_reader_hint(asif_reader *draft, const char *format, ...) ASIF_PRINTF(2, 3);
bool asif_reader_no_memory(asif_reader *draft);
/* Report an error from another module; if it has no position, that of the node is used. */
bool asif_reader_pass_on(asif_reader *draft, const asif_yaml *at, const asif_error *error);
void asif_reader_flush(asif_reader *draft);

asif_shown asif_show_number(double number);
asif_shown asif_show_label(const asif_labels *labels, uint32_t i);
/* A list of labels for messages: `a`, `b` or `c`; long lists are truncated. */
typedef struct {
    char text[200];
} asif_listed;
asif_listed asif_list_labels(const asif_labels *labels);

/* One key of a section. Keys are read in the order of the table, whatever their order in the file. */
typedef struct {
    const char *name;
    void (*read)(asif_reader *draft, const asif_yaml *value);
    const char *help;
} asif_study_key;
/* Read a section by its table of keys; `section` is NULL at the top level. False if the section has unknown
 * keys: a missing key may then only be misspelt, and is not reported as missing. */
bool asif_reader_section(asif_reader *draft, const asif_yaml *map, const char *section,
                         const asif_study_key *keys, uint32_t count);
/* The two halves of asif_reader_section(): report unknown keys, and read the values of known ones. */
bool asif_reader_keys(asif_reader *draft, const asif_yaml *map, const char *section,
                      const asif_study_key *keys, uint32_t count);
void asif_reader_values(asif_reader *draft, const asif_yaml *map, const asif_study_key *keys, uint32_t count);
/* Whether a missing key is present in a misspelt form. */
bool asif_reader_misspelt(const asif_yaml *map, const char *key, const asif_study_key *keys, uint32_t count);

bool asif_reader_is(const asif_yaml *node, const char *word); /* is the node this word, without quotes? */
bool asif_reader_kind(asif_reader *draft, const asif_yaml *node, asif_yaml_kind kind, const char *what);
bool asif_reader_number(asif_reader *draft, const asif_yaml *node, const char *what, double *out);
bool asif_reader_probability(asif_reader *draft, const asif_yaml *node, const char *what, double *out);
bool asif_reader_choice(asif_reader *draft, const asif_yaml *node, const char *what,
                        const char *const *choices, uint32_t count, uint32_t *out);
uint32_t asif_labels_find(const asif_labels *labels, const char *label);
/* Find the index of the label at a node; an unknown label is reported. */
bool asif_reader_label(asif_reader *draft, const asif_yaml *node, const asif_labels *labels, uint32_t *out);
/* Read a list of labels (or one label), and set out[i], i < labels->count, for each label in it. */
bool asif_reader_marks(asif_reader *draft, const asif_yaml *node, const asif_labels *labels, const char *what,
                       bool *out);
/* Read the probabilities of labels: a list, a mapping, `uniform`, or one label that has probability 1. */
bool asif_reader_distribution(asif_reader *draft, const asif_yaml *node, const asif_labels *labels,
                              const char *what, double *out);

/* matrix.c */
/* Read matrices by action, or one for all actions, into out[actions]; entries of actions that are not named
 * stay unchanged. */
bool asif_reader_dynamics(asif_reader *draft, const asif_yaml *node, asif_matrix_kind which, uint32_t *out);
/* Read rows [states][columns] from a list or a mapping. */
bool asif_reader_rows(asif_reader *draft, const asif_yaml *node, const asif_labels *columns, const char *what,
                      double *value);
uint32_t asif_reader_identity(asif_reader *draft);
uint32_t asif_reader_same_rows(asif_reader *draft, const double *row, uint32_t columns);
uint32_t asif_reader_dense(asif_reader *draft, const double *value, uint32_t columns);
/* Add a matrix in compressed rows; it keeps the arrays, which are from asif_reader_alloc(). */
uint32_t asif_reader_sparse(asif_reader *draft, const uint64_t *offset, const uint32_t *column,
                            const double *value);
uint32_t asif_reader_sparse_of(asif_reader *draft, uint32_t columns, const uint64_t *offset,
                               const uint32_t *column, const double *value);

/* available.c */
void asif_reader_read_available(asif_reader *draft, const asif_yaml *node);
/* Every seen value needs an action that can be taken. */
void asif_reader_check_available(asif_reader *draft);

/* increments.c. Functions that return an index of a matrix return ASIF_READER_UNSET after a problem. `action`
 * [actions] marks the actions that the transitions belong to. */
void asif_reader_read_increments(asif_reader *draft, const asif_yaml *node);
void asif_reader_check_increments(asif_reader *draft);
bool asif_reader_is_increments(const asif_reader *draft, const asif_yaml *node);
uint32_t asif_reader_increments(asif_reader *draft, const asif_yaml *node, const char *what,
                                const bool *action, bool environment);
/* Position of a mark `learn` of a part of the transitions, its text, and whether it is `transitions: learn`.
 */
typedef struct {
    uint32_t line, column;
    char *mark;
    bool whole;
} asif_part_place;
const asif_part_place *asif_study_part_place(const asif_study *study, uint32_t i);
const asif_context *asif_study_context(const asif_study *study);
bool asif_reader_is_unlearnt(const asif_yaml *node);
uint32_t asif_reader_unlearnt_rows(asif_reader *draft, const asif_yaml *node, const bool *action, bool whole,
                                   bool environment);

/* columns.c: emissions as a mapping from the columns of crossed observations, which are independent given the
 * state. */
bool asif_reader_is_by_column(const asif_reader *draft, const asif_yaml *node);
bool asif_reader_by_column(asif_reader *draft, const asif_yaml *node, bool environment, uint32_t *out);

/* hidden.c. The first function checks whether a node is `learn`, `learn shared` or `learn except LABELS`
 * where states are hidden; the second reads it, adds the mark for these actions, and sets `row` to equal
 * probabilities of what is possible; the third does so for start distributions. */
bool asif_reader_is_hidden(const asif_reader *draft, const asif_yaml *node);
bool asif_reader_mark_hidden(asif_reader *draft, asif_hidden_mark *mark, const bool *action, bool environment,
                             const asif_labels *labels, double *row);
bool asif_reader_hidden_starts(asif_reader *draft, asif_starts *start);
/* The hidden dynamics of a study that is still to be learnt, and where its text marks them. */
typedef struct {
    asif_arena arena;
    asif_dynamics_spec spec; /* states 0: there is nothing to learn */
    uint32_t marks;
    struct asif_hidden_place {
        uint32_t line, column;
        const char *mark;
        asif_matrix_kind which;
        uint32_t row;    /* start class */
        bool by_action;  /* is to be replaced by a mapping from all actions to their tables */
        uint32_t *table; /* [actions]: ASIF_ANY where the mark does not apply */
    } * mark;            /* [marks], in the order of the text */
} asif_hidden;
bool asif_hidden_make(asif_reader *draft, const asif_setting *setting, asif_hidden *out);
const asif_hidden *asif_study_hidden(const asif_study *study);

/* spaces.c. The first function reports a key that the file of the environment already determines; true also
 * if that file could not be read, so that nothing else is reported. */
bool asif_reader_given_by_file(asif_reader *draft, const asif_yaml *node, const char *key);
void asif_reader_read_states(asif_reader *draft, const asif_yaml *node);
void asif_reader_read_actions(asif_reader *draft, const asif_yaml *node);
void asif_reader_read_observations(asif_reader *draft, const asif_yaml *node);
/* The classes of a column of crossed observations. */
asif_labels asif_reader_classes(const asif_reader *draft, uint32_t column);

/* Read labels, or their number. */
void asif_reader_space(asif_reader *draft, const asif_yaml *node, const char *what, asif_labels *labels);

/* parts.c: states that are crossed from a seen and a hidden part. */
void asif_reader_read_parts(asif_reader *draft, const asif_yaml *node);
/* Cross the observations with the seen values, once both are known. */
void asif_reader_cross_observations(asif_reader *draft, const asif_yaml *node);
/* Report what a state with a seen part needs or excludes; called when everything has been read. */
void asif_reader_check_parts(asif_reader *draft);
/* The value of a part in a state. */
uint32_t asif_reader_value_of(const asif_reader *draft, uint32_t part, uint32_t state);
/* The part of a name; ASIF_ANY: there is none. */
uint32_t asif_reader_find_part(const asif_reader *draft, const char *name);
/* Mark the states [states] that a key names: a state, or values of parts joined by `/`. `conditions` becomes
 * the number of parts that it names. */
bool asif_reader_select(asif_reader *draft, const asif_yaml *key, bool *marked, uint32_t *conditions);
/* Find the item of a mapping by states that applies to each state: the one that names most parts. of[s]
 * becomes its index; ASIF_ANY: that of `any`, or none. */
bool asif_reader_assign(asif_reader *draft, const asif_yaml *node, uint32_t *of);
/* Split start distributions into one class for each seen value with which an episode can begin; `weights`
 * becomes their probabilities. */
bool asif_reader_split_starts(asif_reader *draft, const double **weights);

/* Whether a column of the logs with a role of its own has this name, so that no part of the state, and no
 * condition, can have it. */
bool asif_reader_is_role(const char *name);

/* conditions.c: `by: COLUMN` in parts of a study. Find the columns, their values, and how many conditions
 * they make; false after a problem. */
bool asif_reader_find_conditions(asif_reader *draft);
/* The root of the study as it is in the draft's condition. */
const asif_yaml *asif_reader_in_condition(asif_reader *draft, const asif_yaml *root);
/* What a parameter is called in the draft's condition: `price` by cost is `price.0.1` where cost is 0.1. */
const char *asif_reader_name_here(const asif_reader *draft, const char *name);
/* The value of a column in the draft's condition; NULL: the study does not differ by it. */
const char *asif_reader_value_here(const asif_reader *draft, const char *column);
/* Report what is not yet possible with conditions; called when everything has been read. */
void asif_reader_check_conditions(asif_reader *draft);
/* Make the setting of all conditions from those of each. */
bool asif_reader_join_conditions(asif_reader *draft, asif_setting *const *part, asif_setting **out);

/* part_moves.c: dynamics by part. Whether a mapping is by part; its transitions (ASIF_READER_UNSET after a
 * problem); the distribution over states that it makes, the parts being independent. */
bool asif_reader_is_by_part(const asif_reader *draft, const asif_yaml *node);
uint32_t asif_reader_part_moves(asif_reader *draft, const asif_yaml *node, const char *what);
bool asif_reader_part_start(asif_reader *draft, const asif_yaml *node, const char *what, double *out);
/* The matrix of emissions from what is shown in each state, [states][shown]. */
uint32_t asif_reader_part_emissions(asif_reader *draft, const double *value);

/* expression.c: a sum of products of numbers, parameters and parts whose values are numbers. */
typedef struct {
    uint32_t count;
    struct asif_product {
        uint32_t parameter; /* ASIF_ANY: none */
        double coefficient;
        uint32_t parts, part[4];
    } product[8];
} asif_expression;
bool asif_reader_expression(asif_reader *draft, const asif_yaml *node, asif_expression *out);
/* The index of a parameter of the utility by its name. */
bool asif_reader_utility_name(asif_reader *draft, const asif_yaml *node, const char *name,
                              uint32_t *parameter);
/* The factor of a product in a state. */
double asif_reader_factor(const asif_reader *draft, const struct asif_product *product, uint32_t state);

/* dynamics.c */
void asif_reader_read_environment(asif_reader *draft, const asif_yaml *node);
/* Read start distributions. `may_learn`: the distribution, or some of its classes, may be marked `learn`. */
bool asif_reader_starts(asif_reader *draft, const asif_yaml *node, const char *what, bool may_learn,
                        asif_starts *out);
bool asif_reader_spaces_known(const asif_reader *draft);
/* file.c */
/* Read the file that a node names: its path, and its text, which the caller frees with asif_free(). */
bool asif_reader_open(asif_reader *draft, const asif_yaml *node, char **text, uint64_t *length,
                      const char **path);
/* Add a piece of what was read to the digest: its name and its bytes. */
void asif_reader_digest(asif_reader *draft, const char *name, const char *bytes, uint64_t length);
/* Add a name to the list of files that the study names, unless it is there already. */
bool asif_reader_name_file(asif_reader *draft, const char *name);
/* Read spaces and dynamics from a .pomdp or DRN file. */
bool asif_reader_from_file(asif_reader *draft, const asif_yaml *environment);

/* learn.c */
/* Check the text of a prior. `entries` is the size of a distribution, or 0 for the prior of a number. */
bool asif_reader_prior(asif_reader *draft, const asif_yaml *at, const char *text, const char *name,
                       uint32_t entries);
/* Text of the i-th value of a map, put together again if YAML split a prior at its commas; *next is the index
 * of the pair that follows. NULL if the value is not a scalar. */
const char *asif_reader_joined(asif_reader *draft, const asif_yaml *map, uint32_t i, uint32_t *next);
bool asif_reader_names_distribution(const char *name);
/* The first function checks whether a distribution over these labels is marked `learn`; the second then reads
 * its prior. `text` is the scalar from asif_reader_joined(). */
bool asif_reader_learns(const asif_yaml *node, const asif_labels *labels);
bool asif_reader_learn(asif_reader *draft, const asif_yaml *node, const char *text, asif_distribution which,
                       uint32_t entries, const char **prior);
bool asif_reader_add_learnt(asif_reader *draft, asif_distribution which, uint32_t start, const asif_yaml *at,
                            const char *prior);
const asif_learnt *asif_reader_find_learnt(const asif_reader *draft, asif_distribution which);

/* means.c */
void asif_reader_read_means(asif_reader *draft, const asif_yaml *node);
/* Check that the agent has means, or a utility, as its planner requires. */
void asif_reader_check_means(asif_reader *draft, const asif_yaml *agent);
bool asif_reader_has_utility(const asif_reader *draft); /* does the planner use a utility? */

/* agent.c, worlds.c, parameters.c, utility.c, features.c, preset.c, restriction.c, sections.c */
void asif_reader_read_agent(asif_reader *draft, const asif_yaml *node);
void asif_reader_read_worlds(asif_reader *draft, const asif_yaml *node);
void asif_reader_read_parameters(asif_reader *draft, const asif_yaml *node);
/* Add a parameter with the value at a node; NULL after a problem. */
asif_reader_parameter *asif_reader_add_parameter(asif_reader *draft, const char *name, const asif_yaml *at,
                                                 const asif_yaml *value);
asif_reader_parameter *asif_reader_find_parameter(asif_reader *draft, const char *name);
/* Find a parameter that the utility uses. A parameter without an entry of its own gets that of the longest
 * matching pattern. */
asif_reader_parameter *asif_reader_used_parameter(asif_reader *draft, const char *name);
/* The utility parameter that a misspelt name probably means; NULL if none is similar. */
const char *asif_reader_near_parameter(const asif_reader *draft, const char *name);
/* Add a placeholder for an unknown name that has been reported, so that it is not reported again. */
void asif_reader_undeclared(asif_reader *draft, const char *name, const asif_yaml *at);
void asif_reader_check_parameters(asif_reader *draft, const asif_yaml *agent);
void asif_reader_read_utility(asif_reader *draft, const asif_yaml *node);
void asif_reader_check_utility(asif_reader *draft);
bool asif_reader_add_term(asif_reader *draft, const asif_utility_term *term);
/* Read a utility from the columns of a table, or with one parameter for each cell; the actions that it covers
 * are marked. */
void asif_reader_read_features(asif_reader *draft, const asif_yaml *node, bool *covered);
void asif_reader_read_table(asif_reader *draft, const asif_yaml *node, bool *covered);
void asif_reader_read_preset(asif_reader *draft, const asif_yaml *node);
/* Check what the preset requires in addition to its restriction of parameters. */
void asif_reader_apply_preset(asif_reader *draft);
/* Check that the planner, the inverse planner and the preset can be combined; called when everything has been
 * read. */
void asif_reader_check_pair(asif_reader *draft);
const asif_preset_info *asif_preset_of(const asif_preset *preset); /* NULL for NULL */
const asif_restriction *asif_preset_restriction(const asif_preset *preset);
bool asif_preset_needs_alpha(const asif_preset *preset);
/* The restriction of parameters by the planner and the preset of the study together. */
asif_restriction asif_reader_restriction(const asif_reader *draft);
void asif_reader_apply_restriction(asif_reader *draft);
/* Set the parameters of a theta that the restriction determines. */
asif_status asif_reader_restrict_theta(const asif_reader *draft, asif_theta *theta, asif_error *error);
void asif_reader_read_solver(asif_reader *draft, const asif_yaml *node);
void asif_reader_read_logs(asif_reader *draft, const asif_yaml *node);
/* Whether a parameter has the same meaning in every study: alpha, beta and the like. */
bool asif_reader_is_builtin(const char *name);
void asif_reader_read_inverse(asif_reader *draft, const asif_yaml *node);
/* population.c: covariates of parameters over people, and kinds of people. False: no memory;
 * asif_population_free() in any case. */
void asif_reader_read_population(asif_reader *draft, const asif_yaml *node);
typedef struct {
    uint32_t count;
    asif_people_effect *effect;
    uint32_t kinds;
} asif_study_population;
bool asif_population_make(const asif_reader *draft, asif_study_population *out);
void asif_population_free(const asif_context *context, asif_study_population *population);

/* labels.c: the section `labels`, and what is kept of it. */
typedef struct {
    asif_arena arena;
    uint32_t count;
    asif_study_label *label;
} asif_study_labels;
void asif_reader_read_labels(asif_reader *draft, const asif_yaml *node);
bool asif_study_labels_make(asif_reader *draft, asif_study_labels *out);

/* environments.c: the environments of the section `inverse`, and settings made from them, which outlive the
 * draft. */
typedef struct {
    uint32_t count;
    char **name;
    asif_setting **setting;
} asif_environments;
void asif_reader_read_environments(asif_reader *draft, const asif_yaml *node);
/* Check that the inverse planner has the environments that it needs. */
void asif_reader_check_environments(asif_reader *draft, const asif_yaml *node);
bool asif_environments_make(asif_reader *draft, const asif_setting *setting, asif_environments *out);
void asif_environments_free(const asif_context *context, asif_environments *environments);
/* reset.c: copy the matrix indices `from` to `to`, with a matrix in place of each ASIF_READER_RESET and each
 * ASIF_READER_TERMINAL. */
bool asif_reader_resolve(asif_reader *draft, const asif_starts *start, const uint32_t *from, uint32_t *to);

/* endings.c: how episodes end. */
void asif_reader_read_horizon(asif_reader *draft, const asif_yaml *node);
/* The word `reset` or `terminal` as transitions; ASIF_READER_UNSET after a problem. */
uint32_t asif_reader_ending(asif_reader *draft, const asif_yaml *node);
/* Mark the actions after which nothing follows, once the environment's transitions are known. */
void asif_reader_mark_stops(asif_reader *draft);
/* Whether there are such actions, or a horizon; and the check that the planner knows them and seen parts. */
bool asif_reader_stops(const asif_reader *draft);
void asif_reader_check_stops(asif_reader *draft);
/* Check that the transitions of one of the agent's worlds end episodes as the environment's do. */
void asif_reader_check_world_ends(asif_reader *draft, const asif_yaml *node, const uint32_t *transitions);

#endif
