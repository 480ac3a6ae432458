/**
 * @file
 * Questions about fits, studies and logs, all answered through one function. A question has a name and
 * options; asif_ask() answers it. The answer is text for people, JSON for programs and, for some questions, a
 * table. `asif QUESTION ...` on the command line and the functions of a language binding come from the same
 * tables.
 */
#ifndef ASIF_ASK_H
#define ASIF_ASK_H

#include "asif/database.h"
#include "asif/fit.h"
#include "asif/report.h"
#include "asif/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Type of an option's value. */
typedef enum {
    ASIF_OPTION_SWITCH, /**< "true", or absent */
    ASIF_OPTION_TEXT,
    ASIF_OPTION_LIST,   /**< a text; the option may be repeated */
    ASIF_OPTION_COUNT,  /**< a whole number, not negative */
    ASIF_OPTION_NUMBER, /**< a decimal number */
    /** File for asif_answer_table(): an option of the command only, refused by asif_ask(). */
    ASIF_OPTION_OUTPUT
} asif_option_kind;

/** One option of a question: a flag of the command, or a keyword argument in a language binding. */
typedef struct {
    const char *name; /**< the flag without its dashes: "max-steps" */
    char letter;      /**< letter of the short flag; 0: it has none */
    asif_option_kind kind;
    const char *value; /**< placeholder for the value in the help: "N" */
    const char *help;
    double least, most; /**< limits of a count or number; both 0: any value */
    size_t offset;      /**< for the library only */
} asif_option;

/** A question as its help describes it. */
typedef struct {
    const char *name;
    const char *operands;                   /**< the usage line after the name: "DIR [flags]" */
    const char *summary, *about, *examples; /**< one line; paragraphs; shell commands */
    uint32_t least_operands, most_operands; /**< UINT32_MAX: no upper limit */
    const asif_option *option;              /**< an array that ends with an option whose name is NULL */
    bool reads_logs; /**< its last operand can be logs that a database has; see ::asif_asked */
} asif_question_info;

/** The question at an index of the table of all questions, borrowed; NULL past the last. */
ASIF_API const asif_question_info *asif_question(uint32_t index);
/** The question with this name, borrowed; NULL: there is none. */
ASIF_API const asif_question_info *asif_question_named(const char *name);

/** An option that the caller sets, and its value as text. */
typedef struct {
    const char *name, *value;
} asif_given;

/** What a question is about: its operands, and the options that the caller sets. */
typedef struct {
    size_t struct_size;
    /** [operands]: folders of fits, studies or logs, whichever the question takes. */
    const char *const *operand;
    uint32_t operands;
    const asif_given *given; /**< [givens] */
    uint32_t givens;
    /** [operands]: the fit in each of these folders if the caller has already read it, else NULL; borrowed
     * for the life of the answer. NULL: none has been read. */
    const asif_result *const *result;
    /** Where the logs are, if they are not in a file: the last operand is then only their name. Borrowed
     * during the call. NULL: in a file. Only for a question that `reads_logs`. */
    const asif_database_request *database;
    /** Reports before a part of the work that may take long. Either `problems` holds the problems found so
     * far, which are then removed from the list of asif_ask(); or it is NULL and `line` is a message for
     * people, possibly from another thread. NULL: all problems are left in the list until the end. */
    void (*tell)(void *user, asif_problems *problems, const char *line);
    void *user; /**< passed to `tell` */
} asif_asked;
#define ASIF_ASKED_INIT                                                                                      \
    { .struct_size = sizeof(asif_asked) }

/** An answer; immutable. */
typedef struct asif_answer asif_answer;

/**
 * Answer a question.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the answer.
 * @param question   Name of the question.
 * @param asked      Borrowed during the call.
 * @param problems   Warnings and notes are added, and all errors of a file that has several; may be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EUNKNOWN (no such question, option, file label, ...), ASIF_EINVALID (options that do
 * not go together, or a value out of its limits), ASIF_ENOFILE, ASIF_EIO, ASIF_EPARSE, ASIF_ENOMEM,
 * ASIF_ECANCELLED, or what the computation returned.
 *
 * Cost: that of the question; see its page of the reference.
 */
ASIF_API asif_status asif_ask(asif_answer **out, const asif_context *context, const char *question,
                              const asif_asked *asked, asif_problems *problems, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_answer_free(asif_answer *answer);
/** The whole answer as JSON. @param[out] out Text, owned by the caller (asif_memory_free()). */
ASIF_API asif_status asif_answer_json(char **out, const asif_answer *answer, asif_error *error);
/** The answer as text for people. @param[out] out Text, owned by the caller. @param options NULL: the
 * defaults. */
ASIF_API asif_status asif_answer_text(char **out, const asif_answer *answer,
                                      const asif_report_options *options, asif_error *error);
/** The table of the answer as CSV. @param[out] out Text, owned by the caller. @return Also ASIF_EUNSUPPORTED:
 * this question has no table. */
ASIF_API asif_status asif_answer_table(char **out, const asif_answer *answer, asif_error *error);
/** Whether the answer is negative: a check failed, or a result cannot be trusted. The command then exits with
 * status 1. */
ASIF_API bool asif_answer_no(const asif_answer *answer);

/**
 * @name Changes to a study by the caller, like -p and --map of the command
 * @{
 */
/**
 * Copy the parameter values of a study and change some of them.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param study      Its context is kept for the life of the values.
 * @param pair       [pairs]: each "NAME=VALUE".
 * @param pairs      May be 0.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (a text that is not NAME=VALUE), what asif_theta_set_text() returned, or
 * ASIF_ENOMEM.
 */
ASIF_API asif_status asif_study_values(asif_theta **out, const asif_study *study, const char *const *pair,
                                       uint32_t pairs, asif_error *error);
/** Keep the estimates that remain after these pairs have fixed some parameters: the entries of `spec` [specs]
 * whose parameter no pair sets are moved to its beginning. @return How many remain. */
ASIF_API uint32_t asif_study_left(asif_estimate_spec *spec, uint32_t specs, const char *const *pair,
                                  uint32_t pairs);
/** The name under which a parameter is estimated: `optimism` for `beta`, whose inverse it is; every other
 * name unchanged. */
ASIF_API const char *asif_estimated_name(const char *name);
/**
 * Copy the mapping from columns to roles of a study's logs and change some of its columns.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the mapping.
 * @param study      NULL: start from the default mapping.
 * @param pair       [pairs]: each "ROLE=COLUMN".
 * @param pairs      May be 0.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EPARSE (a text that is not ROLE=COLUMN), what asif_log_map_set() returned, or
 * ASIF_ENOMEM.
 */
ASIF_API asif_status asif_study_map(asif_log_map **out, const asif_context *context, const asif_study *study,
                                    const char *const *pair, uint32_t pairs, asif_error *error);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
