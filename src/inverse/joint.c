#include "inverse/joint.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/likelihood.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-4 /* probabilities below this have no usable logit */
#define SAME 1e-9  /* rounding of probabilities that were normalised twice */

/* A learnt row: its possible cells, of which one is the reference. */
typedef struct {
    uint64_t first; /* of the cells of the row */
    uint32_t columns, reference;
    uint32_t coordinate;  /* index of its first logit */
    const bool *possible; /* NULL: all are */
} learnt_row;

/* Everything that one evaluation makes anew. */
typedef struct {
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    asif_theta_gradient gradient;
} moved;

struct asif_joint {
    const asif_context *context;
    asif_joint_request request;
    const asif_dynamics_spec *spec;
    uint64_t cells;
    uint32_t agent, rows; /* dimension of the estimates; learnt rows */
    learnt_row *row;
    bool start_follows;
    double *values;        /* [nodes]: the solution that each evaluation begins at */
    double *point, *count; /* [cells] */
    asif_matrix *matrix;   /* [matrices] */
    double **room;         /* [matrices]: values */
    asif_density density;
    const char **name;
};

/* ---- coordinates ---- */

static bool is_possible(const learnt_row *row, uint32_t c) {
    return !row->possible || row->possible[c];
}

void asif_joint_point(const asif_joint *j, const double *x, double *point) {
    memcpy(point, j->request.point, j->cells * sizeof *point);
    for (uint32_t r = 0; r < j->rows; r++) {
        const learnt_row *row = &j->row[r];
        double *p = point + row->first, sum = 0, largest = 0;
        const double *logit = x + row->coordinate;
        for (uint32_t c = 0; c < row->columns; c++)
            if (is_possible(row, c) && c != row->reference)
                largest = fmax(largest, p[c] = *logit++);
        p[row->reference] = 0;
        for (uint32_t c = 0; c < row->columns; c++)
            sum += p[c] = is_possible(row, c) ? exp(p[c] - largest) : 0;
        for (uint32_t c = 0; c < row->columns; c++)
            p[c] /= sum;
    }
}

void asif_joint_locate(const asif_joint *j, const double *agent, const double *point, double *x) {
    memcpy(x, agent, j->agent * sizeof *x);
    for (uint32_t r = 0; r < j->rows; r++) {
        const learnt_row *row = &j->row[r];
        const double *p = point + row->first;
        double *logit = x + row->coordinate, reference = log(fmax(LEAST, p[row->reference]));
        for (uint32_t c = 0; c < row->columns; c++)
            if (is_possible(row, c) && c != row->reference)
                *logit++ = log(fmax(LEAST, p[c])) - reference;
    }
}

/* From derivatives in the logarithms of cells to those in logits. */
static void pull_logits(const asif_joint *j, const double *point, const double *of_log, double *out) {
    for (uint32_t r = 0; r < j->rows; r++) {
        const learnt_row *row = &j->row[r];
        double sum = 0, *to = out + row->coordinate;
        for (uint32_t c = 0; c < row->columns; c++)
            sum += is_possible(row, c) ? of_log[row->first + c] : 0;
        for (uint32_t c = 0; c < row->columns; c++)
            if (is_possible(row, c) && c != row->reference)
                *to++ = of_log[row->first + c] - point[row->first + c] * sum;
    }
}

/* ---- matrices ---- */

/* The cells that an entry of a matrix of the environment is the product of: one of a transition, one for each
 * column of an observation. */
static uint64_t cell_of(const asif_joint *j, bool emission, uint32_t action, uint32_t row, uint32_t to,
                        uint32_t k) {
    const asif_dynamics_spec *s = j->spec;
    if (!emission)
        return asif_dynamics_first(j->request.dynamics, s->transitions[action]) + (uint64_t)row * s->states +
               to;
    uint32_t table = s->emissions[action * s->columns + k];
    uint32_t class = s->code ? s->code[(uint64_t)to * s->columns + k] : to;
    return asif_dynamics_first(j->request.dynamics, table) + (uint64_t)row * s->table[table].columns + class;
}

static double entry_of(const asif_joint *j, const double *point, bool emission, uint32_t action, uint32_t row,
                       uint32_t to) {
    double p = 1;
    for (uint32_t k = 0; k < (emission ? j->spec->columns : 1); k++)
        p *= point[cell_of(j, emission, action, row, to, k)];
    return p;
}

static uint32_t matrix_of(const asif_setting_spec *s, bool emission, uint32_t world, uint32_t action) {
    return (emission ? s->emissions : s->transitions)[world * s->actions + action];
}

/* Set the matrices of the environment; `largest` becomes the largest change of an entry. */
static void set_matrices(const asif_joint *j, const asif_setting_spec *s, const double *point,
                         double *largest) {
    for (uint32_t k = 0; k < 2 * s->actions; k++) {
        bool emission = k % 2;
        uint32_t action = k / 2, index = matrix_of(s, emission, s->worlds, action);
        const asif_matrix *m = &s->matrix[index];
        for (uint32_t i = 0; i < (m->same_rows ? 1 : m->rows); i++)
            for (uint64_t e = m->offset[i]; e < m->offset[i + 1]; e++) {
                double p = entry_of(j, point, emission, action, i, m->column[e]);
                *largest = fmax(*largest, fabs(p - m->value[e]));
                j->room[index][e] = p;
            }
    }
}

/* Add the derivatives through one matrix of the agent to those in the logarithms of cells: it is the matrix
 * of the environment times `share`, plus something that does not move. */
static void pull_matrix(const asif_joint *j, const double *point, const asif_matrix *m, const double *bar,
                        double share, bool emission, uint32_t action, double *of_log) {
    for (uint32_t i = 0; i < m->rows; i++) {
        uint64_t e, end;
        for (asif_matrix_row(m, i, &e, &end); e < end; e++) {
            double p = entry_of(j, point, emission, action, i, m->column[e]),
                   even = m->same_rows ? m->rows : 1;
            for (uint32_t k = 0; k < (emission ? j->spec->columns : 1); k++)
                of_log[cell_of(j, emission, action, i, m->column[e], k)] += share * bar[e] * p / even;
        }
    }
}

static bool is_first(const asif_setting_spec *s, bool emission, uint32_t world, uint32_t action) {
    uint32_t index = matrix_of(s, emission, world, action);
    for (uint32_t m = 0; m <= world; m++)
        for (uint32_t u = 0; u < (m < world ? s->actions : action); u++)
            if (matrix_of(s, emission, m, u) == index)
                return false;
    return true;
}

static void pull_matrices(const asif_joint *j, const asif_setting_spec *s, const double *point,
                          const asif_theta_gradient *g, double *of_log) {
    for (uint32_t w = 0; w < s->worlds; w++)
        for (uint32_t k = 0; k < 2 * s->actions; k++) {
            uint32_t action = k / 2, index = matrix_of(s, k % 2, w, action);
            double share = s->world_shares ? s->world_shares[w] : 0;
            /* Worlds and actions that share a matrix share its derivatives. */
            if (is_first(s, k % 2, w, action))
                pull_matrix(j, point, &s->matrix[index], g->matrix[index], 1 - share, k % 2, action, of_log);
        }
}

/* ---- an evaluation ---- */

static void drop(const asif_joint *j, moved *m) {
    asif_work_free(m->work);
    asif_theta_gradient_free(j->context, &m->gradient);
    asif_theta_free(m->theta);
    asif_setting_free(m->setting);
}

/* Make and solve the agent in the dynamics of j->point. */
static asif_status move(asif_joint *j, moved *m, const double *x, asif_error *error) {
    asif_setting_spec spec = *asif_setting_get(j->request.setting);
    uint64_t starts = (uint64_t)spec.starts * spec.states;
    const double *start = j->point + asif_dynamics_first(j->request.dynamics, j->spec->start);
    double largest = 0;
    set_matrices(j, &spec, j->point, &largest);
    spec.matrix = j->matrix;
    spec.terminal = NULL;
    spec.environment_start = start;
    if (j->start_follows)
        spec.agent_start = start;
    ASIF_TRY(asif_setting_create(&m->setting, j->context, &spec, error));
    ASIF_TRY(asif_theta_create(&m->theta, j->context, m->setting, error));
    ASIF_TRY(asif_estimates_theta(j->request.estimates, x, m->theta, error));
    if (j->start_follows)
        memcpy(m->theta->start, start, starts * sizeof *start);
    ASIF_TRY(
        asif_work_create(&m->work, j->context, j->request.planner, m->setting, j->request.solver, error));
    if (j->values)
        asif_work_set_values(m->work, j->values);
    return asif_solve(m->work, m->theta, NULL, error);
}

static asif_status gradient_of(const asif_joint *j, moved *m, const double *x, double *actions, double *out,
                               asif_error *error) {
    uint64_t at = asif_dynamics_first(j->request.dynamics, j->spec->start);
    ASIF_TRY(asif_theta_gradient_create(&m->gradient, j->context, m->setting, error));
    ASIF_TRY(asif_theta_gradient_add_matrices(&m->gradient, j->context, m->setting, error));
    ASIF_TRY(asif_loglik_gradient(actions, &m->gradient, asif_work_behavior(m->work), j->request.tree, NULL,
                                  error));
    if (!isfinite(*actions))
        return ASIF_OK;
    memset(out, 0, j->density.dimension * sizeof *out);
    asif_estimates_pull(j->request.estimates, x, &m->gradient, out);
    pull_matrices(j, asif_setting_get(m->setting), j->point, &m->gradient, j->count);
    for (uint64_t i = 0; j->start_follows && i < (uint64_t)j->spec->starts * j->spec->states; i++)
        j->count[at + i] += m->gradient.start[i] * j->point[at + i];
    return ASIF_OK;
}

/* Log-density of the rows in logits, with the Jacobian: (1 + prior) times the logarithm of each cell. */
static double log_rows(const asif_joint *j) {
    double sum = 0;
    for (uint32_t r = 0; r < j->rows; r++)
        for (uint32_t c = 0; c < j->row[r].columns; c++)
            if (is_possible(&j->row[r], c)) {
                sum += (1 + j->request.prior) * log(j->point[j->row[r].first + c]);
                j->count[j->row[r].first + c] += 1 + j->request.prior;
            }
    return sum;
}

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    asif_joint *j = user;
    moved m = {0};
    double observations = 0, actions = 0;
    asif_joint_point(j, x, j->point);
    ASIF_TRY(asif_dynamics_loglik(&observations, j->count, j->request.dynamics, j->point, error));
    *value = -INFINITY;
    if (!isfinite(observations))
        return ASIF_OK;
    double rows = log_rows(j);
    asif_status status = isfinite(rows) ? move(j, &m, x, error) : ASIF_OK;
    if (status == ASIF_OK && m.work)
        status = gradient ? gradient_of(j, &m, x, &actions, gradient, error)
                          : asif_loglik(&actions, asif_work_behavior(m.work), j->request.tree, NULL, error);
    drop(j, &m);
    if (status == ASIF_EDOMAIN) /* a value overflows */
        return ASIF_OK;
    if (status != ASIF_OK || !isfinite(rows) || !isfinite(actions))
        return status;
    *value = observations + actions + rows + asif_estimates_log_prior(j->request.estimates, x, gradient);
    if (gradient)
        pull_logits(j, j->point, j->count, gradient);
    return ASIF_OK;
}

static void report(void *user, const double *x, double *out) {
    asif_estimates_report(((const asif_joint *)user)->request.estimates, x, out);
}

/* ---- making it ---- */

static asif_status refuse(asif_error *error) {
    asif_fail(
        error, ASIF_EUNSUPPORTED,
        "the agent believes in a world that is neither the environment nor the environment mixed with a "
        "uniform one, and has no derivatives in the dynamics");
    asif_error_hint(error, "take --world cut");
    return ASIF_EUNSUPPORTED;
}

static asif_status check_worlds(const asif_joint *j, const asif_setting_spec *s, asif_error *error) {
    double largest = 0;
    for (uint32_t w = 0; w < s->worlds; w++)
        for (uint32_t k = 0; k < 2 * s->actions; k++)
            if (!(s->world_shares && s->world_shares[w] > 0) &&
                matrix_of(s, k % 2, w, k / 2) != matrix_of(s, k % 2, s->worlds, k / 2))
                return refuse(error);
    set_matrices(j, s, j->request.point, &largest);
    return largest < SAME
               ? ASIF_OK
               : asif_fail(error, ASIF_EINVALID, "the environment has other dynamics than the point");
}

static asif_status list_rows(asif_joint *j, asif_error *error) {
    uint32_t all = 0, coordinate = j->agent;
    for (uint32_t t = 0; t < j->spec->tables; t++)
        all += j->spec->table[t].rows;
    j->row = ASIF_ARRAY(j->context, all, learnt_row);
    if (!j->row)
        return asif_fail_memory(error);
    for (uint32_t t = 0; t < j->spec->tables; t++) {
        const asif_dynamics_table *of = &j->spec->table[t];
        for (uint32_t i = 0; i < of->rows; i++) {
            uint64_t at = (uint64_t)i * of->columns;
            if (of->fixed && !isnan(of->fixed[at]))
                continue;
            learnt_row *row = &j->row[j->rows++];
            *row = (learnt_row){.first = asif_dynamics_first(j->request.dynamics, t) + at,
                                .columns = of->columns,
                                .coordinate = coordinate,
                                .possible = of->possible ? of->possible + at : NULL};
            const double *p = j->request.point + row->first;
            for (uint32_t c = 0; c < row->columns; c++) {
                coordinate += is_possible(row, c);
                row->reference = p[c] > p[row->reference] ? c : row->reference;
            }
            coordinate--;
        }
    }
    j->density.dimension = coordinate;
    return ASIF_OK;
}

/* Whether the agent's start is the environment's; one that is estimated is not. */
static bool follows(const asif_joint *j, const asif_setting_spec *s) {
    const asif_estimate_info *info;
    for (uint32_t i = 0; (info = asif_estimates_get(j->request.estimates, i)); i++)
        if (strcmp(info->parameter, "start") == 0)
            return false;
    for (uint64_t i = 0; i < (uint64_t)s->starts * s->states; i++)
        if (fabs(s->agent_start[i] - s->environment_start[i]) > SAME)
            return false;
    return true;
}

static asif_status take_room(asif_joint *j, const asif_setting_spec *s, asif_error *error) {
    j->point = ASIF_ARRAY(j->context, 2 * j->cells, double);
    j->matrix = ASIF_ARRAY(j->context, s->matrices, asif_matrix);
    j->room = asif_alloc(j->context, s->matrices, sizeof *j->room);
    if (!j->point || !j->matrix || !j->room)
        return asif_fail_memory(error);
    j->count = j->point + j->cells;
    for (uint32_t i = 0; i < s->matrices; i++) {
        uint64_t entries = asif_matrix_entries(&s->matrix[i]);
        j->room[i] = ASIF_ARRAY(j->context, entries, double);
        if (!j->room[i])
            return asif_fail_memory(error);
        memcpy(j->room[i], s->matrix[i].value, entries * sizeof **j->room);
        j->matrix[i] = s->matrix[i];
        j->matrix[i].value = j->room[i];
    }
    return ASIF_OK;
}

static asif_status name_numbers(asif_joint *j, asif_error *error) {
    const asif_estimates *e = j->request.estimates;
    uint32_t count = 0;
    while (asif_estimates_get(e, count))
        count++;
    j->name = ASIF_ARRAY(j->context, count, const char *);
    for (uint32_t i = 0; j->name && i < count; i++)
        j->name[i] = asif_estimates_get(e, i)->name;
    j->density.reported = count;
    j->density.name = j->name;
    return j->name ? ASIF_OK : asif_fail_memory(error);
}

static asif_status make(asif_joint *j, asif_error *error) {
    const asif_setting_spec *s = asif_setting_get(j->request.setting);
    ASIF_TRY(take_room(j, s, error));
    ASIF_TRY(check_worlds(j, s, error));
    ASIF_TRY(list_rows(j, error));
    j->start_follows = follows(j, s);
    j->density.evaluate = evaluate;
    j->density.has_gradient = true;
    j->density.report = report;
    j->density.user = j;
    return name_numbers(j, error);
}

asif_status asif_joint_create(asif_joint **out, const asif_context *context,
                              const asif_joint_request *request, asif_error *error) {
    asif_joint *j = ASIF_NEW(context, asif_joint);
    *out = NULL;
    if (!j)
        return asif_fail_memory(error);
    j->context = context;
    j->request = *request;
    j->spec = asif_dynamics_get(request->dynamics);
    j->cells = asif_dynamics_cells(request->dynamics);
    j->agent = asif_estimates_dimension(request->estimates);
    asif_status status = make(j, error);
    if (status != ASIF_OK) {
        asif_joint_free(j);
        return status;
    }
    *out = j;
    return ASIF_OK;
}

const asif_density *asif_joint_density(const asif_joint *joint) {
    return &joint->density;
}

void asif_joint_free(asif_joint *j) {
    if (!j)
        return;
    const asif_context *context = j->context;
    uint32_t matrices = asif_setting_get(j->request.setting)->matrices;
    for (uint32_t i = 0; j->room && i < matrices; i++)
        asif_free(context, j->room[i]);
    asif_free(context, j->row);
    asif_free(context, j->values);
    asif_free(context, j->point);
    asif_free(context, j->matrix);
    asif_free(context, j->room);
    asif_free(context, (void *)(uintptr_t)j->name);
    asif_free(context, j);
}
