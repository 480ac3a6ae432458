/* The command line: a table of flags for each command, and the values that the user gave. */
#ifndef ASIF_CLI_ARGS_H
#define ASIF_CLI_ARGS_H

#include "asif/ask.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes of every command. */
enum { CLI_OK = 0, CLI_NO = 1, CLI_USAGE = 2, CLI_SYSTEM = 3 };

#define CLI_OPTIONS 64 /* most flags that a command may have */

typedef struct {
    const char **item;
    uint32_t count;
} cli_list;

typedef struct {
    bool given;
    uint64_t value;
} cli_count;

typedef struct {
    bool given;
    double value;
} cli_number;

/* The values of all flags and operands; `item` arrays and texts are borrowed from argv. */
typedef struct {
    const char **operand;
    uint32_t operands;
    bool help, json, quiet, verbose, ranked, occupancy, force, no_sensitivity, no_answers, no_forecast,
        identify, uncorrelated, predictive;
    cli_list set, belief, map, where, with, truth;
    const char *history, *start, *first, *seen, *condition, *output, *rows, *reward_model, *study, *by, *from,
        *method, *subject, *unit, *unseen, *figures, *order, *progress, *world, *engine, *uri, *table, *query,
        *memory, *sql, *parameters, *population;
    cli_count seed, threads, resolution, episodes, max_steps, decision, top, chains, warmup, draws, starts,
        min_cell, longest, worlds, points, most_points, sample, people, permutations;
    cli_number prior, tol, discount, accept, checkpoint;
    asif_given *given; /* [givens]: the values of a question's options */
    uint32_t givens;
    int argc; /* the whole command line */
    char **argv;
} cli_args;

#define CLI_OF_QUESTION SIZE_MAX /* offset of an option whose value goes into `given` */

typedef enum { CLI_SWITCH, CLI_TEXT, CLI_LIST, CLI_COUNT, CLI_NUMBER } cli_kind;

typedef struct {
    const char *name; /* without the dashes */
    char letter;      /* short form, as in -h; 0: none */
    cli_kind kind;
    const char *value; /* placeholder for the value in the help */
    const char *help;
    size_t offset;      /* offset of the field in cli_args */
    double least, most; /* limits of a count or a number; both 0: none */
} cli_option;

#define CLI_ANY_NUMBER UINT32_MAX

typedef struct {
    const char *name, *operands, *summary, *about, *examples;
    uint32_t least_operands, most_operands; /* CLI_ANY_NUMBER: no limit */
    const cli_option *options;              /* array that ends with an option whose name is NULL */
    int (*run)(const cli_args *args);       /* NULL for a question */
    const asif_question_info *question;     /* asked by cli_ask(); NULL: the command is not a question */
} cli_command;

#define CLI_HELP_OPTION                                                                                      \
    { "help", 'h', CLI_SWITCH, NULL, "print this help", offsetof(cli_args, help), 0, 0 }
#define CLI_JSON_OPTION                                                                                      \
    { "json", 0, CLI_SWITCH, NULL, "print one JSON object and nothing else", offsetof(cli_args, json), 0, 0 }
#define CLI_QUIET_OPTION                                                                                     \
    { "quiet", 'q', CLI_SWITCH, NULL, "no warnings or notes", offsetof(cli_args, quiet), 0, 0 }
#define CLI_THREADS_OPTION                                                                                   \
    {                                                                                                        \
        "threads", 0, CLI_COUNT, "N",                                                                        \
            "threads to use (default: all processors); results are the same for any number",                 \
            offsetof(cli_args, threads), 1, 1024                                                             \
    }
#define CLI_PROGRESS_OPTION                                                                                  \
    {"progress",                                                                                             \
     0,                                                                                                      \
     CLI_TEXT,                                                                                               \
     "HOW",                                                                                                  \
     "how to report progress on standard error: auto (default; one line on a terminal, else plain), "        \
     "plain (a line of text from time to time), json (one object per line) or none",                         \
     offsetof(cli_args, progress),                                                                           \
     0,                                                                                                      \
     0},                                                                                                     \
    {                                                                                                        \
        "verbose", 0, CLI_SWITCH, NULL, "print each step with its time on standard error",                   \
            offsetof(cli_args, verbose), 0, 0                                                                \
    }
#define CLI_SET_OPTION                                                                                       \
    {                                                                                                        \
        "param", 'p', CLI_LIST, "NAME=VALUE",                                                                \
            "give a parameter a value, whatever the study says (repeatable); limits are 0, 0+, 0-, inf, "    \
            "-inf",                                                                                          \
            offsetof(cli_args, set), 0, 0                                                                    \
    }
#define CLI_MAP_OPTION                                                                                       \
    {                                                                                                        \
        "map", 0, CLI_LIST, "ROLE=COLUMN",                                                                   \
            "the column of a role, whatever the study says (repeatable): subject, episode, time, action, "   \
            "observation (several with commas), state, weight, start, label",                                \
            offsetof(cli_args, map), 0, 0                                                                    \
    }
#define CLI_WHERE_OPTION                                                                                     \
    {                                                                                                        \
        "where", 0, CLI_LIST, "COLUMN=VALUE",                                                                \
            "only episodes with this value of a column, or with one of several, separated by commas "        \
            "(repeatable: all conditions must hold)",                                                        \
            offsetof(cli_args, where), 0, 0                                                                  \
    }
/* The options of every command that solves an agent. */
#define CLI_CONDITION_OPTION(what)                                                                           \
    {                                                                                                        \
        "condition", 0, CLI_TEXT, "VALUES",                                                                  \
            "where the study differs by columns of the logs, " what ": COLUMN=VALUE,...",                    \
            offsetof(cli_args, condition), 0, 0                                                              \
    }
#define CLI_SOLVE_OPTIONS                                                                                    \
    CLI_SET_OPTION, {"seed",                                                                                 \
                     0,                                                                                      \
                     CLI_COUNT,                                                                              \
                     "N",                                                                                    \
                     "seed of the random numbers (default 0)",                                               \
                     offsetof(cli_args, seed),                                                               \
                     0,                                                                                      \
                     0},                                                                                     \
        {"threads",                                                                                          \
         0,                                                                                                  \
         CLI_COUNT,                                                                                          \
         "N",                                                                                                \
         "threads to use (default: all processors); results are the same for any number",                    \
         offsetof(cli_args, threads),                                                                        \
         1,                                                                                                  \
         1024},                                                                                              \
        CLI_PROGRESS_OPTION,                                                                                 \
        {"resolution",                                                                                       \
         0,                                                                                                  \
         CLI_COUNT,                                                                                          \
         "N",                                                                                                \
         "intervals on an edge of the lattice of beliefs (default: the study's, else 100)",                  \
         offsetof(cli_args, resolution),                                                                     \
         1,                                                                                                  \
         1e9},                                                                                               \
    {                                                                                                        \
        "tol", 0, CLI_NUMBER, "X", "residual to solve to (default: the study's, else 1e-12)",                \
            offsetof(cli_args, tol), 1e-300, 1                                                               \
    }
#define CLI_END_OF_OPTIONS                                                                                   \
    { NULL, 0, CLI_SWITCH, NULL, NULL, 0, 0, 0 }

/* Read the arguments of a command from argv[2...]. Returns CLI_OK, or an exit code after printing what is
 * wrong. Call cli_args_free() in either case. */
int cli_args_read(cli_args *args, const cli_command *command, int argc, char **argv);
void cli_args_free(cli_args *args);
void cli_print_help(FILE *file, const cli_command *command);
/* Print a text that starts at column `column` of the current line, broken at blanks and newlines, and end
 * the line. */
void cli_print_wrapped(FILE *file, const char *text, size_t column);

/* Read [s, end) as one decimal number; false if it is not one. */
bool cli_read_number(const char *s, const char *end, double *out);

#endif
