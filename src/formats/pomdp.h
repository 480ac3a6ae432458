/* A .pomdp file in memory. Its size is in proportion to the length of the text, not to the size of the
 * spaces: a row is one value for all columns with exceptions, rows made by one statement are shared, and
 * rewards stay statements. */
#ifndef ASIF_SRC_FORMATS_POMDP_H
#define ASIF_SRC_FORMATS_POMDP_H

#include "asif/formats.h"

/* Bounds on the sizes of the spaces, so that a line like `states: 4000000000` is an error and takes
 * no memory. */
#define ASIF_POMDP_MOST_STATES (1u << 22)
#define ASIF_POMDP_MOST_ACTIONS (1u << 16)
#define ASIF_POMDP_MOST_OBSERVATIONS (1u << 22)
#define ASIF_POMDP_MOST_ROWS (1u << 24) /* states times actions */
#define ASIF_POMDP_TOLERANCE 1e-5       /* tolerance on the sum of a row */

typedef struct {
    uint32_t column;
    double value;
} asif_pomdp_entry;

/* A row of a table. The value of column c in the row of state s is that of its entry; without an entry it is
 * 1 if `self` and c = s, else `fill`. Entries ascend by column and none equals `fill`. `self` marks the rows
 * of an identity: fill is 0, and a state whose own column was set later has a row of its own. */
typedef struct {
    double fill;
    bool self;
    asif_pomdp_entry *entry;
    uint32_t count;
    uint64_t capacity;
    uint32_t refs;               /* reference count: states and actions that use the row */
    uint32_t stamp, replacement; /* the row that replaces this one in the current statement */
    uint32_t line, column;       /* place of the last statement that changed it */
} asif_pomdp_row;

/* The rows of one action: `base` for every state, except those that have a row of their own (not 0)
 * in `own`. */
typedef struct {
    uint32_t base;
    uint32_t *own; /* [states], or NULL */
} asif_pomdp_holder;

/* A table of probabilities, T or O. Row 0 is the empty row. */
typedef struct {
    const asif_context *context;
    uint32_t actions, states, columns;
    asif_pomdp_holder *holder; /* [actions] */
    asif_pomdp_row *row;
    uint64_t rows, row_capacity;
    uint32_t *unused; /* numbers of rows that are no longer used */
    uint64_t unused_count, unused_capacity;
    uint32_t stamp;
} asif_pomdp_table;

/* One R statement. In a POMDP `data` is [observations] if data_rank is 1 and [states][observations] if it is
 * 2; in an MDP [next state] and [state][next state]. An index over which the data run is ASIF_ANY. */
typedef struct {
    uint32_t action, state, next, observation; /* or ASIF_ANY */
    uint32_t data_rank;
    double value;
    double *data;
} asif_pomdp_reward;

typedef struct {
    uint32_t count;
    char **name; /* NULL: elements are numbered, not named */
    uint64_t name_capacity;
    uint32_t *slot; /* hash table of index + 1; its size is a power of two */
    uint64_t slots;
} asif_pomdp_space;

struct asif_pomdp {
    const asif_context *context;
    double discount;
    bool cost;
    asif_pomdp_space state, action, observation; /* observation.count 0: an MDP */
    bool has_start;
    asif_pomdp_table start; /* a table with one action and one state */
    asif_pomdp_table transitions, emissions;
    asif_pomdp_reward *reward;
    uint64_t rewards, reward_capacity;
    char *comment; /* lines that begin with #, written at the top; or NULL */
};

/* pomdp_rows.c. Functions that return bool return false only if there is no memory. */
bool asif_pomdp_table_init(asif_pomdp_table *table, const asif_context *context, uint32_t actions,
                           uint32_t states, uint32_t columns);
void asif_pomdp_table_free(asif_pomdp_table *table);
/* Makes a new empty row that no state or action uses yet. */
bool asif_pomdp_row_new(asif_pomdp_table *table, uint32_t *out, uint32_t line, uint32_t column);
/* Appends a column beyond the last one; a value equal to the row's fill is left out. */
bool asif_pomdp_row_push(asif_pomdp_table *table, uint32_t row, uint32_t column, double value);
/* Copies a row, also of another table, into a new one. */
bool asif_pomdp_row_copy(asif_pomdp_table *table, uint32_t *out, const asif_pomdp_row *from, uint32_t line,
                         uint32_t column);
/* Gives this row to an action and a state; ASIF_ANY stands for all of them. */
bool asif_pomdp_set_row(asif_pomdp_table *table, uint32_t action, uint32_t state, uint32_t row);
/* Sets one column; ASIF_ANY stands for all columns. */
bool asif_pomdp_set_cell(asif_pomdp_table *table, uint32_t action, uint32_t state, uint32_t c, double value,
                         uint32_t line, uint32_t column);
const asif_pomdp_row *asif_pomdp_get_row(const asif_pomdp_table *table, uint32_t action, uint32_t state);
double asif_pomdp_row_sum(const asif_pomdp_row *row, uint32_t columns);
/* The number of columns that are not 0. */
uint64_t asif_pomdp_row_nonzero(const asif_pomdp_row *row, uint32_t columns);
double asif_pomdp_row_value(const asif_pomdp_row *row, uint32_t state, uint32_t column);

/* pomdp_names.c */
/* Adds a name of `length` bytes; *fresh is true if it was new. */
bool asif_pomdp_name_add(asif_pomdp_space *space, const asif_context *context, const char *name,
                         uint64_t length, bool *fresh);
uint32_t asif_pomdp_name_find(const asif_pomdp_space *space, const char *name, uint64_t length);
void asif_pomdp_space_free(asif_pomdp_space *space, const asif_context *context);
/* asif_pomdp_word() returns the index of a reserved word in asif_pomdp_reserved, or -1. */
enum {
    ASIF_POMDP_DISCOUNT,
    ASIF_POMDP_VALUES,
    ASIF_POMDP_STATES,
    ASIF_POMDP_ACTIONS,
    ASIF_POMDP_OBSERVATIONS,
    ASIF_POMDP_START,
    ASIF_POMDP_T,
    ASIF_POMDP_O,
    ASIF_POMDP_R,
    ASIF_POMDP_UNIFORM,
    ASIF_POMDP_IDENTITY,
    ASIF_POMDP_RESET,
    ASIF_POMDP_REWARD,
    ASIF_POMDP_COST,
    ASIF_POMDP_INCLUDE,
    ASIF_POMDP_EXCLUDE,
    ASIF_POMDP_WORDS
};
extern const char *const asif_pomdp_reserved[ASIF_POMDP_WORDS];
int asif_pomdp_word(const char *name, uint64_t length);
/* Whether the format allows this name. */
bool asif_pomdp_name_legal(const char *name);

/* pomdp_scan.c */
typedef enum {
    ASIF_POMDP_END,
    ASIF_POMDP_NAME,
    ASIF_POMDP_WORD,
    ASIF_POMDP_INTEGER,
    ASIF_POMDP_REAL,
    ASIF_POMDP_STAR,
    ASIF_POMDP_COLON,
    ASIF_POMDP_PLUS,
    ASIF_POMDP_MINUS
} asif_pomdp_kind;

typedef struct {
    asif_pomdp_kind kind;
    int word; /* reserved word */
    const char *text;
    uint64_t length;
    double value; /* of a number */
    uint32_t line, column;
} asif_pomdp_token;

typedef struct {
    const char *text, *end, *name;
    uint32_t line;
    const char *line_start;
    asif_pomdp_token token; /* the next token */
    asif_error *error;
} asif_pomdp_scanner;

void asif_pomdp_scan_init(asif_pomdp_scanner *scanner, const char *text, uint64_t length, const char *name,
                          asif_error *error);
asif_status asif_pomdp_scan(asif_pomdp_scanner *scanner);
#define ASIF_POMDP_TOKEN_SIZE 64
/* Describes the token for a message, in a buffer of ASIF_POMDP_TOKEN_SIZE. */
const char *asif_pomdp_token_text(const asif_pomdp_token *token, char *buffer);

/* pomdp_reward.c: the rewards of one action and state at a time; later statements override earlier ones. */
typedef struct asif_pomdp_rewards asif_pomdp_rewards;
bool asif_pomdp_rewards_create(asif_pomdp_rewards **out, const asif_pomdp *pomdp);
void asif_pomdp_rewards_free(asif_pomdp_rewards *rewards);
/* Chooses the action and state of the calls that follow. */
bool asif_pomdp_rewards_at(asif_pomdp_rewards *rewards, uint32_t action, uint32_t state);
double asif_pomdp_rewards_value(const asif_pomdp_rewards *rewards, uint32_t next, uint32_t observation);
/* Whether the reward is the same whatever the next state and observation. */
bool asif_pomdp_rewards_constant(asif_pomdp_rewards *rewards, double *value);
/* Whether the reward depends on the observation only; if so, it is written to value[observations]. */
bool asif_pomdp_rewards_by_observation(asif_pomdp_rewards *rewards, double *value);
/* Whether the reward is the same for all observations in this next state. */
bool asif_pomdp_rewards_constant_in(const asif_pomdp_rewards *rewards, uint32_t next);

/* pomdp_given.c: the environment and utilities of a setting, for formats that have nothing else. */
typedef struct {
    double *by_state;       /* [actions][states] */
    double *by_observation; /* [actions][observations] */
} asif_given;
/* Fails if the setting has what formats of this name cannot express: start classes, terminal states, belief
 * terms, or parameters without values. */
asif_status asif_given_check(const asif_setting *setting, const double *parameters, const char *format,
                             asif_error *error);
/* The utilities as numbers, at these values of the parameters. */
asif_status asif_given_utility(asif_given *out, const asif_context *context, const asif_setting *setting,
                               const double *parameters, asif_error *error);
void asif_given_free(asif_given *given, const asif_context *context);

#endif
