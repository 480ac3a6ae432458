/* Moves worlds nearer to the environment, or further from it. */
#include "base/error.h"
#include "base/memory.h"
#include "questions/sensitivity/given_variation.h"
#include "setting/setting.h"

#define TINY 1e-12 /* probabilities below this are 0 but for rounding */

/* Matrices of the new setting: the old ones first, then one for each distinct pair (of a world, of the
 * environment). */
typedef struct {
    const asif_context *context;
    const asif_setting_spec *spec;
    double factor;
    asif_matrix *matrix;
    uint32_t (*pair)[2]; /* [made] */
    uint32_t made;
    double *row; /* working space: [columns] */
} spreading;

/* Add `by` times a row of a compressed matrix. */
static void add_row(double *row, const asif_matrix *m, uint32_t i, double by) {
    uint64_t begin, end;
    asif_matrix_row(m, i, &begin, &end);
    for (uint64_t e = begin; e < end; e++)
        row[m->column[e]] += by * m->value[e];
}

/* Compute environment + factor (world - environment), clipped at 0 and divided by its sum. */
static asif_status blend(const spreading *s, asif_matrix *out, const asif_matrix *world,
                         const asif_matrix *environment, asif_error *error) {
    bool same = world->same_rows && environment->same_rows;
    uint64_t rows = same ? 1 : world->rows, used = 0;
    uint64_t most =
        world->offset[world->same_rows ? 1 : world->rows] * (world->same_rows ? rows : 1) +
        environment->offset[environment->same_rows ? 1 : world->rows] * (environment->same_rows ? rows : 1);
    uint64_t *offset = ASIF_ARRAY(s->context, rows + 1, uint64_t);
    uint32_t *column = ASIF_ARRAY(s->context, most, uint32_t);
    double *value = ASIF_ARRAY(s->context, most, double);
    *out = (asif_matrix){world->rows, world->columns, same, offset, column, value};
    if (!offset || !column || !value)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (uint32_t c = 0; c < world->columns; c++)
            s->row[c] = 0;
        add_row(s->row, world, (uint32_t)i, s->factor);
        add_row(s->row, environment, (uint32_t)i, 1 - s->factor);
        for (uint32_t c = 0; c < world->columns; c++)
            sum += s->row[c] = s->row[c] > TINY ? s->row[c] : 0;
        for (uint32_t c = 0; c < world->columns; c++)
            if (s->row[c] > 0) {
                column[used] = c;
                value[used++] = s->row[c] / sum;
            }
        offset[i + 1] = used;
    }
    return ASIF_OK;
}

/* Find or make the matrix that replaces matrix `world`; *out becomes its number. */
static asif_status spread(spreading *s, uint32_t *out, uint32_t world, uint32_t environment,
                          asif_error *error) {
    const asif_matrix *old = s->spec->matrix;
    *out = world;
    if (world == environment)
        return ASIF_OK;
    for (uint32_t k = 0; k < s->made; k++)
        if (s->pair[k][0] == world && s->pair[k][1] == environment) {
            *out = s->spec->matrices + k;
            return ASIF_OK;
        }
    *out = s->spec->matrices + s->made;
    s->pair[s->made][0] = world;
    s->pair[s->made][1] = environment;
    asif_matrix *made = &s->matrix[*out];
    s->made++;
    return blend(s, made, &old[world], &old[environment], error);
}

static asif_status spread_all(spreading *s, uint32_t *transitions, uint32_t *emissions, asif_error *error) {
    const asif_setting_spec *spec = s->spec;
    uint64_t U = spec->actions, environment = spec->worlds * U;
    for (uint32_t i = 0; i < spec->matrices; i++)
        s->matrix[i] = spec->matrix[i];
    for (uint64_t i = 0; i < environment + U; i++) {
        uint64_t same = environment + i % U;
        ASIF_TRY(spread(s, &transitions[i], spec->transitions[i], spec->transitions[same], error));
        if (spec->observations)
            ASIF_TRY(spread(s, &emissions[i], spec->emissions[i], spec->emissions[same], error));
    }
    return ASIF_OK;
}

asif_status asif_given_variation_worlds(asif_setting **out, const asif_context *context,
                                        const asif_setting *setting, double factor, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint64_t uses = ((uint64_t)spec->worlds + 1) * spec->actions;
    spreading s = {.context = context, .spec = spec, .factor = factor};
    *out = NULL;
    s.matrix = ASIF_ARRAY(context, spec->matrices + 2 * uses, asif_matrix);
    s.pair = asif_alloc(context, 2 * uses, sizeof *s.pair);
    s.row = ASIF_ARRAY(context, (uint64_t)spec->states + spec->observations, double);
    uint32_t *transitions = ASIF_ARRAY(context, uses, uint32_t);
    uint32_t *emissions = ASIF_ARRAY(context, uses, uint32_t);
    bool room = s.matrix && s.pair && s.row && transitions && emissions;
    asif_status status = room ? spread_all(&s, transitions, emissions, error) : asif_fail_memory(error);
    if (status == ASIF_OK) {
        asif_setting_spec changed = *spec;
        changed.matrices = spec->matrices + s.made;
        changed.matrix = s.matrix;
        changed.transitions = transitions;
        changed.emissions = spec->observations ? emissions : NULL;
        changed.world_shares = NULL;
        if (spec->observations)
            changed.terminal = NULL;
        status = asif_setting_create(out, context, &changed, error);
    }
    for (uint32_t k = 0; k < s.made; k++) {
        const asif_matrix *m = &s.matrix[spec->matrices + k];
        asif_free(context, (void *)(uintptr_t)m->offset);
        asif_free(context, (void *)(uintptr_t)m->column);
        asif_free(context, (void *)(uintptr_t)m->value);
    }
    void *const arrays[] = {s.matrix, s.pair, s.row, transitions, emissions};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}
