/* The study as a whole: reading its sections, and making the setting, theta and options from them. */
#include "study/study_reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "engine/successors.h"
#include "logs/map/log_map.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

/* `resolution: auto` outside fits: RESOLUTION, or less if the lattice would have more than BELIEFS points,
 * which is the number of points with three states. */
#define RESOLUTION 100
#define BELIEFS 5151
#define MOST_CAVEAT 480 /* it has to fit in the message of a note */

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

struct asif_study {
    const asif_context *context;
    asif_kept kept;
    char *title, *caveat;
    asif_study_labels labels;
    char *file; /* name of the file with the environment */
    char digest[2 * ASIF_SHA256_SIZE + 1];
    char *text, *folder;
    uint64_t length; /* of the text */
    uint64_t files;
    char **named;                  /* [files]: names of all files in the study */
    const char *planner, *inverse; /* static, as is the next */
    const asif_preset_info *preset;
    asif_inverse_options inverse_options; /* points to the next two */
    char *column, *pairs;
    asif_environments environments;
    asif_setting *setting;
    asif_theta *theta;
    asif_plan_options solver;
    asif_log_map *logs;
    uint32_t parameters;
    asif_study_parameter *parameter;
    uint32_t reached; /* beliefs that can be reached, if the solver takes these; else 0 */
    uint32_t parts;   /* parts of the transitions that are still to be learnt */
    struct asif_study_part {
        asif_world_part part;
        asif_part_place place;
    } * part;
    asif_hidden hidden;
    asif_study_population population;
};

static void read_version(asif_reader *draft, const asif_yaml *node) {
    double version = 0;
    if (!asif_reader_number(draft, node, "`asif`", &version) || version == 1)
        return;
    asif_reader_error(draft, node, "`asif: %s` is not a version of the study file that this build knows",
                      asif_show(node->text).text);
    asif_reader_hint(draft, "write `asif: 1`");
}

static void read_title(asif_reader *draft, const asif_yaml *node) {
    if (asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "`title`"))
        draft->title = node->text;
}

static void read_caveat(asif_reader *draft, const asif_yaml *node) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "`caveat`"))
        return;
    draft->caveat = node->text;
    if (strlen(node->text) <= MOST_CAVEAT)
        return;
    asif_reader_error(draft, node, "`caveat` is longer than %d bytes", MOST_CAVEAT);
    asif_reader_hint(draft, "every summary repeats it: keep it to a sentence or two");
}

static void read_states(asif_reader *draft, const asif_yaml *node) {
    bool parts =
        node->kind == ASIF_YAML_MAP && (asif_yaml_get(node, "seen") || asif_yaml_get(node, "hidden"));
    if (!parts)
        asif_reader_read_states(draft, node);
    else if (!asif_reader_given_by_file(draft, node, "states"))
        asif_reader_read_parts(draft, node);
}

static void read_observations(asif_reader *draft, const asif_yaml *node) {
    asif_reader_read_observations(draft, node);
    if (draft->parts && draft->observations.count)
        asif_reader_cross_observations(draft, node);
}

static const asif_study_key keys[] = {
    {"asif", read_version, "version of the study file: 1"},
    {"title", read_title, "what the study is called"},
    {"caveat", read_caveat, "what every summary and report of a fit has to say"},
    {"states", read_states, "states of the world"},
    {"actions", asif_reader_read_actions, "what the agent can do"},
    {"observations", read_observations, "what the agent sees; left out: the state"},
    {"environment", asif_reader_read_environment, "the world as it is"},
    {"agent", asif_reader_read_agent, "who decides"},
    {"solver", asif_reader_read_solver, "how exactly to solve"},
    {"logs", asif_reader_read_logs, "columns of the logs"},
    {"inverse", asif_reader_read_inverse, "how parameters are read off behaviour"},
    {"labels", asif_reader_read_labels, "what people call actions, states, observations and parameters"},
    {"population", asif_reader_read_population,
     "how people differ: kinds, and covariates of parameters, for `asif people`"},
};

static void require(asif_reader *draft, const char *key, const char *hint) {
    if (asif_yaml_get(draft->root, key))
        return;
    asif_reader_parse_error(draft, draft->root, "`%s` is missing", key);
    asif_reader_hint(draft, "%s", hint);
}

static void read_all(asif_reader *draft) {
    const asif_yaml *environment = asif_yaml_get(draft->root, "environment");
    if (environment && environment->kind == ASIF_YAML_MAP)
        asif_reader_from_file(draft, environment);
    if (asif_reader_keys(draft, draft->root, NULL, keys, COUNT(keys))) {
        require(draft, "asif", "begin the file with `asif: 1`");
        if (!draft->file_at) {
            require(draft, "states", "list the states of the world: `states: [healthy, diseased]`");
            require(draft, "actions", "list what the agent can do: `actions: [treat, wait]`");
        }
        require(draft, "environment", "describe the world as it is: start, transitions, emissions");
        require(draft, "agent", "describe who decides: discount, utility, parameters");
    }
    /* A misspelt `observations` counts as present but unreadable, so that nothing that uses observations is
     * reported. */
    if (asif_reader_misspelt(draft->root, "observations", keys, COUNT(keys)))
        draft->sees_states = false;
    asif_reader_values(draft, draft->root, keys, COUNT(keys));
    asif_reader_check_parts(draft);
    asif_reader_check_conditions(draft);
    asif_reader_check_stops(draft);
    asif_reader_check_available(draft);
    asif_reader_check_pair(draft);
    asif_reader_check_increments(draft);
    asif_reader_flush(draft);
}

/* Put the agent's start classes in the order of the environment's. */
static bool order_classes(asif_reader *draft, const asif_starts *world, asif_starts *agent) {
    uint32_t n = draft->states.count;
    asif_starts to = *agent;
    bool same = world->classes == agent->classes && strcmp(world->column, agent->column) == 0;
    to.p = asif_reader_alloc(draft, (uint64_t)world->classes * n, sizeof *to.p);
    to.learn = asif_reader_alloc(draft, world->classes, sizeof *to.learn);
    to.prior = asif_reader_alloc(draft, world->classes, sizeof *to.prior);
    if (!to.p || !to.learn || !to.prior)
        return false;
    for (uint32_t i = 0; same && i < world->classes; i++) {
        uint32_t k = 0;
        while (k < agent->classes && strcmp(world->name[i], agent->name[k]) != 0)
            k++;
        same = k < agent->classes;
        if (!same)
            break;
        memcpy(to.p + (uint64_t)i * n, agent->p + (uint64_t)k * n, n * sizeof *to.p);
        to.learn[i] = agent->learn ? agent->learn[k] : NULL;
        to.prior[i] = agent->prior ? agent->prior[k] : NULL;
    }
    if (!same) {
        asif_reader_error(draft, agent->at,
                          "the agent's start and the environment's are by different classes");
        return asif_reader_hint(draft, "name the same column and the same classes in both");
    }
    *agent = to;
    return true;
}

/* Repeat a start distribution that is not by class for all classes. */
static bool repeat_start(asif_reader *draft, const asif_starts *by, asif_starts *one) {
    uint32_t n = draft->states.count;
    if (one->learn) {
        asif_reader_error(draft, one->at,
                          "the agent's start is to be estimated, but the environment's is by `%s`",
                          asif_show(by->column).text);
        return asif_reader_hint(draft, "write {by: %s, %s: learn, ...}", asif_show(by->column).text,
                                asif_show(by->name[0]).text);
    }
    double *p = asif_reader_alloc(draft, (uint64_t)by->classes * n, sizeof *p);
    for (uint32_t i = 0; p && i < by->classes; i++)
        memcpy(p + (uint64_t)i * n, one->p, n * sizeof *p);
    one->classes = by->classes;
    one->p = p;
    return p != NULL;
}

/* Give the agent's and the environment's start the same classes. A start to be estimated is set to the
 * environment's, so that states in which no episode begins have probability 0. */
static bool match_starts(asif_reader *draft) {
    asif_starts *world = &draft->start, *agent = &draft->agent_start;
    uint32_t n = draft->states.count;
    if (!agent->classes)
        *agent = *world;
    if (world->column && agent->column) {
        if (!order_classes(draft, world, agent))
            return false;
    } else if (world->column || agent->column) {
        if (!repeat_start(draft, world->column ? world : agent, world->column ? agent : world))
            return false;
    }
    for (uint32_t i = 0; agent->learn && i < agent->classes; i++) {
        if (!agent->learn[i])
            continue;
        memcpy(agent->p + (uint64_t)i * n, world->p + (uint64_t)i * n, n * sizeof *agent->p);
        if (!asif_reader_add_learnt(draft, ASIF_START, i, agent->learn[i], agent->prior[i]))
            return false;
    }
    return true;
}

/* Fill in the parts of the state; `columns` has room for the seen ones. */
static void set_parts(const asif_reader *draft, asif_setting_spec *spec, asif_observation_column *columns) {
    spec->seen = draft->seen_values;
    spec->seen_names = draft->seen_labels.name;
    spec->hidden_names = draft->hidden_labels.name;
    spec->shown_names = draft->shown.name;
    spec->seen_columns = draft->seen_parts;
    spec->seen_column = columns;
    for (uint32_t p = 0; p < draft->seen_parts; p++)
        columns[p] = (asif_observation_column){draft->part[p].name, draft->part[p].values.count,
                                               draft->part[p].values.name};
}

static bool make_setting(asif_reader *draft, asif_setting **out) {
    uint32_t actions = draft->actions.count, worlds = draft->worlds ? (uint32_t)draft->worlds : 1;
    uint64_t uses = ((uint64_t)worlds + 1) * actions;
    uint32_t *transitions = asif_reader_alloc(draft, uses, sizeof *transitions);
    uint32_t *emissions = asif_reader_alloc(draft, uses, sizeof *emissions);
    double *weights = asif_reader_alloc(draft, worlds, sizeof *weights),
           *shares = asif_reader_alloc(draft, worlds, sizeof *shares);
    bool mixed = false;
    const char **names = asif_reader_alloc(draft, (uint64_t)draft->utilities + 1, sizeof *names);
    asif_observation_column *columns = asif_reader_alloc(draft, draft->parts, sizeof *columns);
    asif_starts agent_before = draft->agent_start.classes ? draft->agent_start : draft->start,
                world_before = draft->start;
    const double *start_weights = NULL;
    if (draft->stop || !match_starts(draft) ||
        (draft->parts && !asif_reader_split_starts(draft, &start_weights)))
        return false;
    for (uint32_t m = 0; m <= worlds; m++) {
        bool environment = m == worlds || !draft->worlds;
        const uint32_t *t = environment ? draft->transitions : draft->world[m].transitions;
        if (!asif_reader_resolve(draft, m == worlds ? &world_before : &agent_before, t,
                                 transitions + (uint64_t)m * actions))
            return false;
        memcpy(emissions + (uint64_t)m * actions, environment ? draft->emissions : draft->world[m].emissions,
               actions * sizeof *emissions);
        if (m < draft->worlds) {
            shares[m] = draft->world[m].share;
            mixed = mixed || shares[m] > 0;
        }
        if (m < worlds)
            weights[m] = draft->world_weights ? draft->world_weights[m]
                         : draft->worlds      ? draft->world[m].weight
                                              : 1;
    }
    for (uint64_t i = 0; i < draft->parameters; i++)
        if (draft->parameter[i].utility)
            names[draft->parameter[i].index] = draft->parameter[i].name;

    const asif_setting_spec *file = draft->from_file ? asif_setting_get(draft->from_file) : NULL;
    bool own = draft->utility_given || !file;
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.title = draft->title;
    spec.states = draft->states.count;
    spec.actions = actions;
    spec.observations = draft->sees_states ? 0 : draft->observations.count;
    spec.worlds = worlds;
    spec.starts = draft->start.classes;
    spec.parameters = draft->utilities;
    spec.state_names = draft->states.name;
    spec.action_names = draft->actions.name;
    spec.observation_names = draft->sees_states ? NULL : draft->observations.name;
    spec.observation_columns = draft->observation_columns;
    spec.observation_column = draft->observation_column;
    spec.start_names = draft->start.name ? draft->start.name : draft->agent_start.name;
    spec.start_column = draft->start.column ? draft->start.column : draft->agent_start.column;
    spec.parameter_names = names;
    spec.matrices = (uint32_t)draft->matrices;
    spec.matrix = draft->matrix;
    spec.transitions = transitions;
    spec.emissions = draft->sees_states ? NULL : emissions;
    spec.environment_start = draft->start.p;
    spec.agent_start = draft->agent_start.p;
    spec.world_weights = weights;
    spec.action_prior = draft->action_prior;
    spec.belief_prior = draft->belief_prior;
    spec.ends = draft->ends;
    spec.terminal = draft->terminal;
    spec.horizon = draft->horizon;
    spec.stops = draft->stops;
    spec.available = draft->available;
    spec.start_weights = start_weights;
    if (draft->parts)
        set_parts(draft, &spec, columns);
    spec.discount = draft->discount;
    spec.terms = own ? draft->terms : file->terms;
    spec.term = own ? draft->term : file->term;
    spec.utility = own ? NULL : file->utility;
    spec.world_shares = mixed ? shares : NULL;

    if (draft->averaged && !own && worlds > 1) {
        asif_reader_problem(draft, ASIF_PROBLEM_NOTE, ASIF_OK, draft->file_at,
                            "rewards that depend on what follows were averaged in the environment, and are "
                            "the same in all worlds");
        asif_reader_hint(draft, "give a `utility` of the agent if its worlds should differ in it");
    }
    asif_error error = ASIF_ERROR_INIT;
    if (asif_setting_create(out, draft->context, &spec, &error) != ASIF_OK)
        return asif_reader_pass_on(draft, NULL, &error);
    return true;
}

/* Make the setting of a study that differs by condition; the drafts of the others come before this one. */
static bool make_joint(asif_reader *draft, asif_setting **out) {
    asif_setting **part = asif_reader_alloc(draft, draft->conditions, sizeof *part);
    bool good = part && make_setting(draft, &part[draft->condition]);
    for (const asif_reader *other = draft->before; good && other; other = other->before) {
        asif_reader *before = (asif_reader *)(uintptr_t)other;
        good = make_setting(before, &part[before->condition]);
        asif_reader_flush(before);
        if (!good && before->first.status != ASIF_OK)
            asif_reader_pass_on(draft, NULL, &before->first);
    }
    good = good && asif_reader_join_conditions(draft, part, out);
    for (uint32_t k = 0; part && k < draft->conditions; k++)
        asif_setting_free(part[k]);
    return good;
}

/* Parameters to be estimated have no value in theta, so that nothing is planned with their defaults. */
static asif_status set_parameter(asif_theta *theta, const asif_reader_parameter *p, asif_error *error) {
    return p->learn ? asif_theta_unset(theta, p->name, error)
                    : asif_theta_set(theta, p->name, p->value, error);
}

static asif_study_parameter *add_parameter(asif_reader *draft, asif_study *study, const char *name,
                                           const char *prior) {
    asif_study_parameter *to = &study->parameter[study->parameters++];
    *to = (asif_study_parameter){.name = asif_strdup(draft->context, name), .standard = NAN};
    if (prior)
        to->prior = asif_strdup(draft->context, prior);
    if (to->name && (to->prior || !prior))
        return to;
    asif_reader_no_memory(draft);
    return NULL;
}

static bool make_theta(asif_reader *draft, asif_study *study) {
    asif_error error = ASIF_ERROR_INIT;
    if (asif_theta_create(&study->theta, draft->context, study->setting, &error) != ASIF_OK ||
        asif_reader_restrict_theta(draft, study->theta, &error) != ASIF_OK)
        return asif_reader_pass_on(draft, draft->preset_at, &error);
    study->parameter = ASIF_ARRAY(draft->context, draft->parameters + draft->learnts, asif_study_parameter);
    if (!study->parameter)
        return asif_reader_no_memory(draft);
    for (uint64_t i = 0; i < draft->parameters; i++) {
        const asif_reader_parameter *p = &draft->parameter[i];
        asif_study_parameter *to = add_parameter(draft, study, p->name, p->prior);
        if (!to)
            return false;
        to->learn = p->learn;
        to->standard = p->standard;
        to->negative = p->negative;
        if (set_parameter(study->theta, p, &error) != ASIF_OK)
            return asif_reader_pass_on(draft, p->at, &error);
    }
    for (uint32_t u = 0; draft->means && u < draft->actions.count; u++) {
        const double *mean = draft->means + (uint64_t)u * draft->states.count;
        if (!isnan(mean[0]) &&
            asif_theta_set_distribution(study->theta, ASIF_MEANS, u, mean, &error) != ASIF_OK)
            return asif_reader_pass_on(draft, draft->means_at, &error);
    }
    for (uint64_t i = 0; i < draft->learnts; i++) {
        const asif_learnt *l = &draft->learnt[i];
        asif_study_parameter *to = add_parameter(draft, study, asif_distribution_text(l->which), l->prior);
        if (!to)
            return false;
        to->learn = true;
        to->start = l->start;
        if (asif_theta_unset_distribution(study->theta, l->which, l->start, &error) != ASIF_OK)
            return asif_reader_pass_on(draft, l->at, &error);
    }
    return true;
}

/* Copy the options of the inverse planner into the study; file names are relative to the study. */
static bool make_asked(asif_reader *draft, asif_study *study) {
    study->inverse_options = draft->inverse_options;
    if (draft->inverse_options.column &&
        !(study->column = asif_strdup(draft->context, draft->inverse_options.column)))
        return false;
    if (draft->inverse_options.pairs) {
        asif_text path = {.context = draft->context};
        asif_text_add(&path, draft->folder && draft->inverse_options.pairs[0] != '/' ? draft->folder : "");
        asif_text_add(&path, draft->inverse_options.pairs);
        if (asif_text_finish(&study->pairs, &path, NULL) != ASIF_OK)
            return false;
    }
    study->inverse_options.column = study->column;
    study->inverse_options.pairs = study->pairs;
    return true;
}

static void *copy(const asif_context *context, const void *from, uint64_t count, size_t size) {
    void *to = asif_alloc(context, count, size);
    return to ? memcpy(to, from, (size_t)count * size) : NULL;
}

static bool make_parts(asif_reader *draft, asif_study *study) {
    const asif_context *c = draft->context;
    uint32_t actions = draft->actions.count;
    study->part = ASIF_ARRAY(c, draft->unlearnts, struct asif_study_part);
    for (uint64_t i = 0; study->part && i < draft->unlearnts; i++) {
        const asif_unlearnt *from = &draft->unlearnt[i];
        struct asif_study_part *to = &study->part[study->parts++];
        to->part = (asif_world_part){from->name ? asif_strdup(c, from->name) : NULL,
                                     from->increments,
                                     from->least,
                                     from->most,
                                     copy(c, from->action, actions, sizeof *from->action),
                                     copy(c, from->origin, actions, sizeof *from->origin)};
        to->place =
            (asif_part_place){from->at->line, from->at->column, asif_strdup(c, from->at->text), from->whole};
        if (!to->part.action || !to->part.origin || !to->place.mark || (from->name && !to->part.name))
            return false;
    }
    return study->part;
}

static void free_parts(asif_study *study) {
    for (uint32_t i = 0; i < study->parts; i++) {
        const asif_world_part *part = &study->part[i].part;
        asif_free(study->context, (void *)(uintptr_t)part->name);
        asif_free(study->context, (void *)(uintptr_t)part->action);
        asif_free(study->context, (void *)(uintptr_t)part->origin);
        asif_free(study->context, study->part[i].place.mark);
    }
    asif_free(study->context, study->part);
}

static bool make_files(asif_reader *draft, asif_study *study) {
    if (draft->inverse_options.pairs && !asif_reader_name_file(draft, draft->inverse_options.pairs))
        return false;
    study->named = ASIF_ARRAY(draft->context, draft->nameds, char *);
    if (!study->named)
        return asif_reader_no_memory(draft);
    for (; study->files < draft->nameds; study->files++)
        if (!(study->named[study->files] = asif_strdup(draft->context, draft->named[study->files])))
            return asif_reader_no_memory(draft);
    return true;
}

/* Add the table of pairs to the digest. It is read again when it is needed, and a table that cannot be read
 * is reported only then. */
static bool digest_pairs(asif_reader *draft, const asif_study *study) {
    asif_error error = ASIF_ERROR_INIT;
    char *text = NULL;
    uint64_t length = 0;
    if (!study->pairs || strcmp(study->pairs, "-") == 0)
        return true;
    if (asif_os_read_file(&text, &length, draft->context, study->pairs, &error) == ASIF_OK)
        asif_reader_digest(draft, draft->inverse_options.pairs, text, length);
    asif_free(draft->context, text);
    return error.status != ASIF_ENOMEM || asif_reader_no_memory(draft);
}

static bool make_digest(asif_reader *draft, asif_study *study) {
    uint8_t digest[ASIF_SHA256_SIZE];
    if (!digest_pairs(draft, study))
        return false;
    asif_sha256_end(&draft->digest, digest);
    asif_sha256_text(digest, study->digest);
    return true;
}

static bool keep_text(asif_reader *draft, asif_study *study) {
    study->text = asif_alloc(draft->context, draft->length, 1);
    if (draft->folder)
        study->folder = asif_strdup(draft->context, draft->folder);
    if (!study->text || (draft->folder && !study->folder))
        return asif_reader_no_memory(draft);
    study->length = draft->length;
    if (draft->length)
        memcpy(study->text, draft->text, draft->length);
    return true;
}

/* What lost results can have been is weighed by the environment, so this has to be known. */
static bool check_lost(asif_reader *draft) {
    const asif_log_role *seen = draft->logs ? &draft->logs->role[ASIF_ROLE_OBSERVATION] : NULL;
    for (uint32_t i = 0; seen && draft->hiddens && i < seen->columns; i++) {
        if (!seen->column[i].unrecorded)
            continue;
        asif_reader_error(draft, draft->hidden[0].at,
                          "dynamics cannot be learnt where results are lost (`missing: unrecorded`)");
        asif_reader_hint(draft,
                         "learn them with `missing: not_seen` under `logs`: a result that was not seen "
                         "tells nothing of the dynamics; then fit with `unrecorded`");
        return false;
    }
    return true;
}

/* Decide between reachable beliefs and a lattice, where the study does not say. Reachable ones suit if no
 * seen value (or decision, with a horizon) can come again: then they are few, and the solution is exact.
 * Elsewhere the lattice over two hidden values is graded. */
static bool settle_beliefs(asif_reader *draft, asif_study *study) {
    const asif_setting_spec *spec = asif_setting_get(study->setting);
    const asif_planner_ops *planner = asif_planner_find(draft->planner, NULL);
    bool asked = draft->beliefs_at && draft->solver.beliefs == ASIF_BELIEFS_REACHABLE, learns = false;
    bool two = asif_hidden_values(spec) == 2 && spec->observations > 0;
    if (draft->beliefs_at && draft->solver.beliefs == ASIF_BELIEFS_GRADED)
        return two || asif_reader_error(draft, draft->beliefs_at,
                                        "a lattice can be graded over two hidden values, and there are %u",
                                        asif_hidden_values(spec));
    for (uint32_t i = 0; draft->agent_start.learn && i < draft->agent_start.classes; i++)
        learns = learns || draft->agent_start.learn[i];
    study->solver.beliefs = ASIF_BELIEFS_LATTICE;
    if (!asked &&
        (draft->beliefs_at || draft->resolution_said || !asif_has_place(spec) || !planner || !planner->parts))
        return true;
    if (!asked && two)
        study->solver.beliefs = ASIF_BELIEFS_GRADED;
    if (learns && !asked)
        return true;
    if (learns)
        return asif_reader_error(draft, draft->beliefs_at,
                                 "beliefs that can be reached need a start that is given, not estimated");
    asif_error why = ASIF_ERROR_INIT;
    asif_successors *found = NULL;
    asif_status status = asif_successors_reachable(&found, draft->context, study->setting, !asked, &why);
    if (status == ASIF_ENOMEM)
        return asif_reader_no_memory(draft);
    if (status != ASIF_OK && asked) {
        asif_reader_error(draft, draft->beliefs_at, "%s", why.message);
        return asif_reader_hint(draft, "%s", why.hint);
    }
    if (status == ASIF_OK) {
        study->reached = found->nodes;
        study->solver.beliefs = ASIF_BELIEFS_REACHABLE;
        study->solver.lattice_error = 0;
    }
    asif_successors_release(found);
    return true;
}

static bool make_study(asif_reader *draft, asif_study *study) {
    study->context = draft->context;
    if (!check_lost(draft))
        return false;
    if (!keep_text(draft, study))
        return false;
    study->planner = draft->planner;
    study->preset = asif_preset_of(draft->preset);
    study->inverse = draft->inverse;
    study->solver = draft->solver;
    if (study->solver.resolution == 0)
        study->solver.resolution = asif_lattice_within(
            draft->parts ? draft->hidden_values : draft->states.count, BELIEFS, RESOLUTION);
    if (draft->caveat && !(study->caveat = asif_strdup(draft->context, draft->caveat)))
        return asif_reader_no_memory(draft);
    if (draft->title && !(study->title = asif_strdup(draft->context, draft->title)))
        return asif_reader_no_memory(draft);
    if (draft->file_at && !(study->file = asif_strdup(draft->context, draft->file_at->text)))
        return asif_reader_no_memory(draft);
    if (!asif_study_labels_make(draft, &study->labels))
        return false;
    if (!make_asked(draft, study) || !make_parts(draft, study) ||
        !asif_population_make(draft, &study->population))
        return asif_reader_no_memory(draft);
    if (!make_files(draft, study) || !make_digest(draft, study))
        return false;
    study->logs = draft->logs;
    draft->logs = NULL;
    if (!study->logs && asif_log_map_create(&study->logs, draft->context, NULL) != ASIF_OK)
        return asif_reader_no_memory(draft);
    if (!(draft->conditions ? make_joint : make_setting)(draft, &study->setting) ||
        !asif_hidden_make(draft, study->setting, &study->hidden) || !make_theta(draft, study) ||
        !asif_environments_make(draft, study->setting, &study->environments))
        return false;
    if (!settle_beliefs(draft, study))
        return false;
    study->inverse_options.environments = study->environments.count;
    study->inverse_options.environment_name = (const char *const *)study->environments.name;
    study->inverse_options.environment = (const asif_setting *const *)study->environments.setting;
    return true;
}

/* The part of a path up to and including the last slash; "" if there is none. NULL only if out of memory. */
static const char *folder_of(asif_reader *draft, const char *name) {
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) + 1 : 0;
    char *folder = asif_reader_alloc(draft, (uint64_t)length + 1, 1);
    if (folder)
        memcpy(folder, name, length);
    return folder;
}

static asif_reader begin(const asif_context *context, const char *text, uint64_t length, const char *name,
                         bool unlearnt, asif_problems *problems) {
    asif_reader draft = {.context = context,
                         .file = name,
                         .text = text,
                         .length = length,
                         .problems = problems,
                         .listed = asif_problems_count(problems),
                         .sees_states = true,
                         .may_be_unlearnt = unlearnt,
                         .planner = "bounded-rational",
                         .inverse = "soft-policy-matching",
                         .inverse_options = ASIF_INVERSE_OPTIONS_INIT,
                         .discount = NAN,
                         .first = ASIF_ERROR_INIT,
                         .solver = ASIF_PLAN_OPTIONS_INIT};
    draft.states.what = "state";
    draft.actions.what = "action";
    draft.observations.what = "observation";
    return draft;
}

/* Read the study in every condition but the last into drafts of their own, which the last one refers to. NULL
 * also if there is no memory. */
static asif_reader *read_others(asif_reader *draft, const asif_reader *empty) {
    asif_reader *other =
        draft->conditions ? asif_reader_alloc(draft, draft->conditions, sizeof *other) : NULL;
    const asif_yaml *root = draft->root;
    for (uint32_t k = 0; other && k + 1 < draft->conditions; k++) {
        other[k] = *empty;
        other[k].root = root;
        other[k].folder = draft->folder;
        other[k].by = draft->by;
        other[k].bys = draft->bys;
        other[k].conditions = draft->conditions;
        other[k].condition = k;
        other[k].before = k ? &other[k - 1] : NULL;
        other[k].first = draft->first;
        other[k].first_line = draft->first_line;
        other[k].first_column = draft->first_column;
        asif_sha256_begin(&other[k].digest);
        other[k].root = asif_reader_in_condition(&other[k], root);
        read_all(&other[k]);
        draft->stop = draft->stop || other[k].stop;
        draft->first = other[k].first;
        draft->first_line = other[k].first_line;
        draft->first_column = other[k].first_column;
    }
    if (!other)
        return NULL;
    draft->condition = draft->conditions - 1;
    draft->before = &other[draft->conditions - 2];
    draft->root = asif_reader_in_condition(draft, root);
    return other;
}

static asif_status read_study(asif_study **out, const asif_context *context, const char *text,
                              uint64_t length, const char *name, bool unlearnt, asif_problems *problems,
                              asif_error *error) {
    *out = NULL;
    const asif_reader empty = begin(context, text, length, name, unlearnt, problems);
    asif_reader draft = empty;
    asif_yaml_document *document = NULL;
    asif_error problem = ASIF_ERROR_INIT;
    if (asif_yaml_read(&document, context, text, length, name, &problem) != ASIF_OK) {
        asif_problems_add(problems, ASIF_PROBLEM_ERROR, &problem);
        if (error)
            *error = problem;
        return problem.status;
    }
    asif_sha256_begin(&draft.digest);
    asif_reader_digest(&draft, "", text, length);
    draft.root = asif_yaml_root(document);
    if (name)
        draft.folder = folder_of(&draft, name);
    bool known = asif_reader_find_conditions(&draft);
    asif_reader *others = known ? read_others(&draft, &empty) : NULL;
    if (known)
        read_all(&draft);
    asif_reader_flush(&draft);
    asif_study *study = NULL;
    if (!draft.stop && draft.first.status == ASIF_OK) {
        study = ASIF_NEW(context, asif_study);
        if (!study)
            asif_reader_no_memory(&draft);
        else
            make_study(&draft, study);
        asif_reader_flush(&draft);
    }
    asif_yaml_free(document);
    for (uint32_t k = 0; others && k + 1 < draft.conditions; k++)
        asif_reader_free(&others[k]);
    asif_reader_free(&draft);
    if (draft.first.status != ASIF_OK) {
        asif_study_free(study);
        if (error)
            *error = draft.first;
        return draft.first.status;
    }
    *out = study;
    return ASIF_OK;
}

asif_status asif_study_read(asif_study **out, const asif_context *context, const char *text, uint64_t length,
                            const char *name, asif_problems *problems, asif_error *error) {
    return read_study(out, context, text, length, name, false, problems, error);
}

asif_status asif_study_read_unlearnt(asif_study **out, const asif_context *context, const char *text,
                                     uint64_t length, const char *name, asif_problems *problems,
                                     asif_error *error) {
    return read_study(out, context, text, length, name, true, problems, error);
}

asif_status asif_study_load(asif_study **out, const asif_context *context, const char *path,
                            asif_problems *problems, asif_error *error) {
    *out = NULL;
    char *text = NULL;
    uint64_t length = 0;
    asif_error problem = ASIF_ERROR_INIT;
    asif_status status = asif_os_read_file(&text, &length, context, path, &problem);
    if (status != ASIF_OK) {
        asif_problems_add(problems, ASIF_PROBLEM_ERROR, &problem);
        if (error)
            *error = problem;
        return status;
    }
    status = asif_study_read(out, context, text, length, strcmp(path, "-") == 0 ? "standard input" : path,
                             problems, error);
    asif_free(context, text);
    return status;
}

void asif_study_keep(const asif_study *study) {
    asif_keep(&study->kept);
}

void asif_study_free(asif_study *study) {
    if (!study || !asif_leave(&study->kept))
        return;
    const asif_context *context = study->context;
    for (uint32_t i = 0; i < study->parameters; i++) {
        asif_free(context, (void *)(uintptr_t)study->parameter[i].name);
        asif_free(context, (void *)(uintptr_t)study->parameter[i].prior);
    }
    asif_free(context, study->parameter);
    free_parts(study);
    asif_arena_free(&study->hidden.arena);
    asif_log_map_free(study->logs);
    asif_theta_free(study->theta);
    asif_setting_free(study->setting);
    asif_free(context, study->title);
    asif_free(context, study->caveat);
    asif_arena_free(&study->labels.arena);
    asif_free(context, study->text);
    asif_free(context, study->folder);
    asif_free(context, study->file);
    for (uint64_t i = 0; i < study->files; i++)
        asif_free(context, study->named[i]);
    asif_free(context, study->named);
    asif_free(context, study->column);
    asif_free(context, study->pairs);
    asif_environments_free(context, &study->environments);
    asif_population_free(context, &study->population);
    asif_free(context, study);
}

const char *asif_study_title(const asif_study *study) {
    return study->title;
}

const char *asif_study_caveat(const asif_study *study) {
    return study->caveat;
}

const asif_study_label *asif_study_label_get(const asif_study *study, uint32_t i) {
    return i < study->labels.count ? &study->labels.label[i] : NULL;
}

const asif_inverse_options *asif_study_asked(const asif_study *study) {
    return &study->inverse_options;
}

const char *asif_study_inverse(const asif_study *study) {
    return study->inverse;
}

const char *asif_study_planner(const asif_study *study) {
    return study->planner;
}

const char *asif_study_preset(const asif_study *study) {
    return study->preset ? study->preset->name : NULL;
}

const char *asif_study_file(const asif_study *study) {
    return study->file;
}

const char *asif_study_files(const asif_study *study, uint32_t i) {
    return i < study->files ? study->named[i] : NULL;
}

const char *asif_study_text(const asif_study *study, uint64_t *length) {
    *length = study->length;
    return study->text;
}

const char *asif_study_folder(const asif_study *study) {
    return study->folder;
}

const char *asif_study_digest(const asif_study *study) {
    return study->digest;
}

const asif_setting *asif_study_setting(const asif_study *study) {
    return study->setting;
}

const asif_theta *asif_study_theta(const asif_study *study) {
    return study->theta;
}

uint32_t asif_study_reached(const asif_study *study) {
    return study->reached;
}

const asif_plan_options *asif_study_solver(const asif_study *study) {
    return &study->solver;
}

const asif_log_map *asif_study_logs(const asif_study *study) {
    return study->logs;
}

const asif_people_effect *asif_study_effects(const asif_study *study, uint32_t *count) {
    *count = study->population.count;
    return study->population.effect;
}

uint32_t asif_study_kinds(const asif_study *study) {
    return study->population.kinds;
}

const asif_study_parameter *asif_study_parameter_get(const asif_study *study, uint32_t i) {
    return i < study->parameters ? &study->parameter[i] : NULL;
}

const asif_world_part *asif_study_part(const asif_study *study, uint32_t i) {
    return i < study->parts ? &study->part[i].part : NULL;
}

const asif_part_place *asif_study_part_place(const asif_study *study, uint32_t i) {
    return &study->part[i].place;
}

const asif_hidden *asif_study_hidden(const asif_study *study) {
    return &study->hidden;
}

const asif_dynamics_spec *asif_study_hidden_dynamics(const asif_study *study) {
    return study->hidden.spec.states ? &study->hidden.spec : NULL;
}

const asif_context *asif_study_context(const asif_study *study) {
    return study->context;
}

uint32_t asif_study_estimates(const asif_study *study, asif_estimate_spec *out, uint32_t room) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < study->parameters; i++) {
        const asif_study_parameter *p = &study->parameter[i];
        if (!p->learn)
            continue;
        if (count < room)
            out[count] = (asif_estimate_spec){p->name, p->start, p->prior, p->standard, p->negative};
        count++;
    }
    return count;
}
