/**
 * @file
 * The study file: a decision problem and an agent as a person writes them, in YAML.
 */
#ifndef ASIF_STUDY_H
#define ASIF_STUDY_H

#include "asif/dynamics.h"
#include "asif/inverse.h"
#include "asif/learn.h"
#include "asif/logs.h"
#include "asif/people.h"
#include "asif/planner.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A study that was read without an error; immutable. */
typedef struct asif_study asif_study;

/** A parameter, or a distribution to be estimated, as the study states it. */
typedef struct {
    const char *name;  /**< as in asif_theta_name(); `optimism` if the study says so instead of `beta`; of a
                            distribution, asif_distribution_text() */
    bool learn;        /**< to be estimated */
    const char *prior; /**< text of its prior; NULL: the default */
    double standard;   /**< usual value of an estimated utility; NaN: none */
    uint32_t start;    /**< start class of an estimated `start`, action of an estimated mean */
    bool negative;     /**< an estimated alpha or act_alpha is below 0 */
} asif_study_parameter;

/**
 * Read a study from text. All problems that can be found in one pass are listed.
 *
 * @param[out] out      Owned by the caller; NULL on failure.
 * @param context       Kept for the life of the study.
 * @param text          YAML; need not be terminated.
 * @param length        Bytes in `text`.
 * @param name          Path of the study, for messages; files that the study names are relative to its
 * folder. May be NULL.
 * @param problems      Errors, warnings and notes are added; may be NULL.
 * @param[out] error    The first error; may be NULL.
 * @return ASIF_OK, ASIF_EPARSE, ASIF_EINVALID, ASIF_EIO or ASIF_ENOMEM; from files that it names also
 * ASIF_EDOMAIN, ASIF_ETOOBIG or ASIF_EUNSUPPORTED.
 */
ASIF_API asif_status asif_study_read(asif_study **out, const asif_context *context, const char *text,
                                     uint64_t length, const char *name, asif_problems *problems,
                                     asif_error *error);
/** Read a study from a file; "-" is standard input. Otherwise as asif_study_read(). */
ASIF_API asif_status asif_study_load(asif_study **out, const asif_context *context, const char *path,
                                     asif_problems *problems, asif_error *error);
/** Read a study that may mark dynamics as still to be learnt (`learn`). Until they are learnt, everything
 * that is possible is equally likely in its setting. Otherwise as asif_study_read(). */
ASIF_API asif_status asif_study_read_unlearnt(asif_study **out, const asif_context *context, const char *text,
                                              uint64_t length, const char *name, asif_problems *problems,
                                              asif_error *error);
/** The i-th part of the transitions that is to be learnt, for asif_learn_world(); borrowed, NULL past the
 * last. */
ASIF_API const asif_world_part *asif_study_part(const asif_study *study, uint32_t i);
/**
 * Replace each mark `learn` in the text of a study by the learnt probabilities. Everything else stays,
 * including comments.
 *
 * @param[out] out   Owned by the caller (asif_memory_free()).
 * @param study      Read from `text`.
 * @param text       YAML; need not be terminated.
 * @param length     Bytes in `text`.
 * @param world      Estimates of all parts of the study.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNSUPPORTED (a mark that cannot be replaced where it stands) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_study_fill(char **out, const asif_study *study, const char *text, uint64_t length,
                                     const asif_learnt_world *world, asif_error *error);
/** The hidden dynamics that the study marks to be learnt, for asif_dynamics_create(); borrowed. NULL: states
 * are seen, or nothing is marked. */
ASIF_API const asif_dynamics_spec *asif_study_hidden_dynamics(const asif_study *study);
/** Replace each mark of hidden dynamics in the text of a study by the probabilities of a point [cells], as
 * asif_study_fill() does. @return As asif_study_fill(); ASIF_EDOMAIN: nothing is marked. */
ASIF_API asif_status asif_study_fill_dynamics(char **out, const asif_study *study, const char *text,
                                              uint64_t length, const double *point, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_study_free(asif_study *study);

/** Title of the study; borrowed, as are all parts of a study below. */
ASIF_API const char *asif_study_title(const asif_study *study);
/** Name of the planner. */
ASIF_API const char *asif_study_planner(const asif_study *study);
/** Name of the inverse planner. */
ASIF_API const char *asif_study_inverse(const asif_study *study);
/** Options of the inverse planner; texts are the study's. */
ASIF_API const asif_inverse_options *asif_study_asked(const asif_study *study);
/** Name of the preset, NULL if there is none. */
ASIF_API const char *asif_study_preset(const asif_study *study);
/** Name of the i-th file that the study names (environment, features, pairs), as written in the study; NULL
 * past the last. */
ASIF_API const char *asif_study_files(const asif_study *study, uint32_t i);
/** The text of the study as it was read, which need not be terminated; borrowed. */
ASIF_API const char *asif_study_text(const asif_study *study, uint64_t *length);
/** SHA-256, in hexadecimal, of the study's text and of every file that it names, as they were read. Studies
 * with the same digest give the same results. */
ASIF_API const char *asif_study_digest(const asif_study *study);
/** The setting. */
ASIF_API const asif_setting *asif_study_setting(const asif_study *study);
/** Values that the study assumes; parameters to be estimated have none. */
ASIF_API const asif_theta *asif_study_theta(const asif_study *study);
/** The `solver` section. */
ASIF_API const asif_plan_options *asif_study_solver(const asif_study *study);
/** The `logs` section: the role of each column of a table; the defaults if there is no such section. */
ASIF_API const asif_log_map *asif_study_logs(const asif_study *study);
/** The `population` section: the covariates on which means of parameters over people depend, in the order of
 * the study, for asif_people_fit(). @param[out] count How many there are. */
ASIF_API const asif_people_effect *asif_study_effects(const asif_study *study, uint32_t *count);
/** The `population` section: how many kinds of people there are, for asif_people_fit(); 1 if it does not say.
 */
ASIF_API uint32_t asif_study_kinds(const asif_study *study);
/**
 * The parameters and distributions that the study marks to be estimated, for asif_estimates_create(); texts
 * are borrowed from the study.
 *
 * @param[out] out [room]; may be NULL where `room` is 0.
 * @param room     Size of `out`; entries beyond it are only counted.
 * @return How many there are.
 */
ASIF_API uint32_t asif_study_estimates(const asif_study *study, asif_estimate_spec *out, uint32_t room);

/**
 * Warn where the next case is worth more than a test. After an action that ends an episode a new case begins.
 * If waiting for it costs more than tests bring, the best agent (without bounds, in the environment) ends
 * every case at once, though it would test if nothing followed. Nothing is said where actions that end
 * episodes are terminal, where utilities are neither given nor have a standard, or where there is no solution
 * within seconds.
 *
 * @param[out] out   Whether it is so.
 * @param study      Borrowed.
 * @param given      Values of parameters, as asif_study_values() makes them.
 * @param problems   Receives the warning; may be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOMEM or ASIF_ECANCELLED. Cost: two solutions on a coarse lattice.
 */
ASIF_API asif_status asif_study_next_case(bool *out, const asif_study *study, const asif_theta *given,
                                          asif_problems *problems, asif_error *error);

/** A row of the table of presets, which are the agents of the paper's Table 4 and the classes of its Table 1;
 * borrowed, never freed. */
typedef struct {
    const char *name, *summary;
    const char *planner; /**< name in the registry */
    const char *inverse; /**< name in the registry; NULL: any */
    /** What is usually estimated: names as in a study, separated by commas; NULL: anything. */
    const char *estimated;
    const char *paper; /**< its row of Table 4, or of Table 1 */
} asif_preset_info;
/** The i-th preset, NULL past the last. */
ASIF_API const asif_preset_info *asif_preset_get(uint32_t i);
/** The preset of that name; NULL: there is none. */
ASIF_API const asif_preset_info *asif_preset_named(const char *name);

#ifdef __cplusplus
}
#endif
#endif
