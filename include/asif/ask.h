/**
 * @file
 * Questions to fits, studies and logs: all in one way. A question has a name and options; asif_ask() answers
 * it; the answer is text for people, JSON for programs and, of some questions, a table. `asif QUESTION ...`
 * on the command line and the functions of a binding are made from the same tables.
 */
#ifndef ASIF_ASK_H
#define ASIF_ASK_H

#include "asif/fit.h"
#include "asif/report.h"
#include "asif/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the value of an option is. */
typedef enum {
    ASIF_OPTION_SWITCH, /**< "true", or nothing */
    ASIF_OPTION_TEXT,
    ASIF_OPTION_LIST,   /**< a text; may be given more than once */
    ASIF_OPTION_COUNT,  /**< a whole number, not negative */
    ASIF_OPTION_NUMBER, /**< a decimal number */
    ASIF_OPTION_OUTPUT /**< of the command alone: where to write asif_answer_table(); asif_ask() does not take
                          it */
} asif_option_kind;

/** One option of a question: a flag of the command, a keyword of a binding. */
typedef struct {
    const char *name; /**< as the flag, without its dashes: "max-steps" */
    char letter;      /**< of the short flag; 0: none */
    asif_option_kind kind;
    const char *value; /**< what stands for the value in the help: "N" */
    const char *help;
    double least, most; /**< of counts and numbers; both 0: any */
    size_t offset;      /**< of no use outside the library */
} asif_option;

/** A question as its help describes it. */
typedef struct {
    const char *name;
    const char *operands;                   /**< as in "DIR [flags]" */
    const char *summary, *about, *examples; /**< a line; paragraphs; lines of a shell */
    uint32_t least_operands, most_operands; /**< UINT32_MAX: as many as are given */
    const asif_option *option;              /**< ends with one that has no name */
} asif_question_info;

/** The questions there are: NULL past the last. */
ASIF_API const asif_question_info *asif_question(uint32_t index);
/** The question of a name; NULL: there is none. */
ASIF_API const asif_question_info *asif_question_named(const char *name);

/** An option that is given. */
typedef struct {
    const char *name, *value;
} asif_given;

/** What a question is asked about. */
typedef struct {
    size_t struct_size;
    const char *const *operand; /**< [operands]: folders of fits, studies, logs, as the question wants */
    uint32_t operands;
    const asif_given *given; /**< [givens] */
    uint32_t givens;
    /** [operands]: fits that were read already from these folders, or NULL; borrowed for the life of the
     * answer. NULL: none was. */
    const asif_result *const *result;
    /** Called while the question is answered, before a part that may take long: with the `problems` of
     * asif_ask() as they are by then, which are forgotten afterwards; or, from any thread, with NULL and a
     * line for people. NULL: all is told at the end. */
    void (*tell)(void *user, asif_problems *problems, const char *line);
    void *user; /**< handed to `tell` */
} asif_asked;
#define ASIF_ASKED_INIT                                                                                      \
    { .struct_size = sizeof(asif_asked) }

/** An answer; immutable. */
typedef struct asif_answer asif_answer;

/**
 * Answer a question.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Borrowed for the life of the answer.
 * @param question   Its name.
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
/** All of it as JSON. @param[out] out Text, owned by the caller (asif_memory_free()). */
ASIF_API asif_status asif_answer_json(char **out, const asif_answer *answer, asif_error *error);
/** For people. @param[out] out Text, owned by the caller. @param options NULL: the defaults. */
ASIF_API asif_status asif_answer_text(char **out, const asif_answer *answer,
                                      const asif_report_options *options, asif_error *error);
/** A table as CSV. @param[out] out Text, owned by the caller. @return ASIF_EUNSUPPORTED: this question has
 * none. */
ASIF_API asif_status asif_answer_table(char **out, const asif_answer *answer, asif_error *error);
/** Whether the answer is one to stop at: a check that failed, a result that cannot be trusted. The command
 * then exits with 1. */
ASIF_API bool asif_answer_no(const asif_answer *answer);

/**
 * @name What is said on top of a study, as by -p and --map of the command
 * @{
 */
/**
 * The values of a study with others.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param study      Its context is borrowed for the life of the values.
 * @param pair       [pairs]: "NAME=VALUE".
 * @param pairs      May be 0.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (no such pair), what asif_theta_set_text() returned, or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_study_values(asif_theta **out, const asif_study *study, const char *const *pair,
                                       uint32_t pairs, asif_error *error);
/** What is left to estimation after these pairs: those of `spec` [specs] that have no value are moved to its
 * beginning. @return How many. */
ASIF_API uint32_t asif_study_left(asif_estimate_spec *spec, uint32_t specs, const char *const *pair,
                                  uint32_t pairs);
/** The name that an estimate goes by: `optimism` for `beta`, which are one number; all others as they are. */
ASIF_API const char *asif_estimated_name(const char *name);
/**
 * The mapping of a study's logs with other columns.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Borrowed for the life of the mapping.
 * @param study      NULL: there is none, and the defaults are changed.
 * @param pair       [pairs]: "ROLE=COLUMN".
 * @param pairs      May be 0.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EPARSE (no such pair), what asif_log_map_set() returned, or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_study_map(asif_log_map **out, const asif_context *context, const asif_study *study,
                                    const char *const *pair, uint32_t pairs, asif_error *error);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
