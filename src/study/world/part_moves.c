/* Transitions, starts and emissions of states that are crossed from parts. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define MOST_PARTS ASIF_READER_PARTS

bool asif_reader_is_by_part(const asif_reader *draft, const asif_yaml *node) {
    if (!draft->parts || node->kind != ASIF_YAML_MAP || node->count == 0)
        return false;
    for (uint32_t i = 0; i < node->count; i++)
        if (asif_reader_find_part(draft, node->key[i]->text) == ASIF_ANY)
            return false;
    return true;
}

/* ---- the moves of one part ---- */

/* Read `+1`, `-2`: the value moves so far along the list, and stays at its end. False: it is none. */
static bool read_shift(const asif_yaml *node, const asif_labels *values, double *p) {
    double by = 0;
    uint32_t n = values->count;
    if (node->kind != ASIF_YAML_SCALAR || node->quoted || !strchr("+-", node->text[0]) ||
        asif_labels_find(values, node->text) != ASIF_ANY ||
        !asif_number_read(node->text + (node->text[0] == '+'), strlen(node->text) - (node->text[0] == '+'),
                          &by) ||
        by != floor(by) || fabs(by) > n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        double to = fmin(fmax(i + by, 0), n - 1.0);
        p[(uint64_t)i * n + (uint32_t)to] = 1;
    }
    return true;
}

static bool read_rows(asif_reader *draft, const asif_yaml *node, const asif_labels *values, const char *what,
                      double *p) {
    uint32_t n = values->count;
    bool *named = asif_reader_alloc(draft, n, sizeof *named), good = named != NULL;
    const asif_yaml *any = asif_yaml_get(node, "any");
    if (node->kind == ASIF_YAML_LIST && node->count != n) {
        asif_reader_error(draft, node, "%s has %u row%s, but the part has %u values", what, node->count,
                          node->count == 1 ? "" : "s", n);
        return asif_reader_hint(draft, "give one row for each of %s", asif_list_labels(values).text);
    }
    for (uint32_t i = 0; named && i < node->count; i++) {
        uint32_t row = i;
        if (node->kind == ASIF_YAML_MAP && strcmp(node->key[i]->text, "any") == 0)
            continue;
        if (node->kind == ASIF_YAML_MAP && !asif_reader_label(draft, node->key[i], values, &row)) {
            good = false;
            continue;
        }
        named[row] = true;
        good = asif_reader_distribution(draft, node->item[i], values, what, p + (uint64_t)row * n) && good;
    }
    for (uint32_t i = 0; good && i < n; i++) {
        if (named[i])
            continue;
        if (!any) {
            asif_reader_error(draft, node, "%s has no row for the value `%s`", what,
                              asif_show_label(values, i).text);
            return asif_reader_hint(draft, "name every value, or give `any` for the others");
        }
        good = asif_reader_distribution(draft, any, values, what, p + (uint64_t)i * n);
    }
    return good;
}

/* Read how one part moves into p [values][values], which is 0. */
static bool read_part(asif_reader *draft, const asif_yaml *node, const asif_reader_part *part,
                      const char *what, double *p) {
    const asif_labels *values = &part->values;
    uint32_t n = values->count, label = 0;
    if (read_shift(node, values, p))
        return true;
    if (node->kind != ASIF_YAML_SCALAR)
        return read_rows(draft, node, values, what, p);
    label = asif_labels_find(values, node->text);
    bool same = asif_reader_is(node, "identity"), uniform = asif_reader_is(node, "uniform");
    if (label == ASIF_ANY && !same && !uniform) {
        asif_reader_parse_error(draft, node, "%s cannot be `%s`", what, asif_show(node->text).text);
        return asif_reader_hint(
            draft, "write `+1` or `-1` (along the list), a value, identity, uniform, or a row for "
                   "each value");
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            p[(uint64_t)i * n + j] = label != ASIF_ANY ? j == label : same ? i == j : 1.0 / n;
    return true;
}

/* ---- all parts ---- */

/* The moves of all parts; those that are not named stay. */
static bool read_parts(asif_reader *draft, const asif_yaml *node, const char *what, double **moves) {
    bool good = true;
    for (uint32_t k = 0; k < draft->parts; k++) {
        uint32_t n = draft->part[k].values.count;
        const asif_yaml *of = asif_yaml_get(node, draft->part[k].name);
        char name[160];
        moves[k] = asif_reader_alloc(draft, (uint64_t)n * n, sizeof **moves);
        if (!moves[k])
            return false;
        asif_format(name, sizeof name, "`%s` in %s", asif_show(draft->part[k].name).text, what);
        if (of)
            good = read_part(draft, of, &draft->part[k], name, moves[k]) && good;
        for (uint32_t i = 0; !of && i < n; i++)
            moves[k][(uint64_t)i * n + i] = 1;
    }
    return good;
}

/* Add the row of a state: the product of the moves of its parts, the last part varying fastest. Returns its
 * length; `column` NULL: only that. */
static uint64_t add_row(const asif_reader *draft, double *const *moves, uint32_t state, uint32_t *column,
                        double *value) {
    uint32_t k = 0, at[MOST_PARTS] = {0}, to[MOST_PARTS + 1] = {0};
    double p[MOST_PARTS + 1] = {1};
    uint64_t used = 0;
    for (;;) {
        uint32_t n = draft->part[k].values.count;
        if (at[k] == n) { /* the part before moves on */
            if (k == 0)
                return used;
            at[--k]++;
            continue;
        }
        double chance = moves[k][(uint64_t)asif_reader_value_of(draft, k, state) * n + at[k]];
        p[k + 1] = p[k] * chance;
        to[k + 1] = to[k] * n + at[k];
        if (!(p[k + 1] > 0)) {
            at[k]++;
        } else if (k + 1 < draft->parts) {
            at[++k] = 0;
        } else {
            if (column) {
                column[used] = to[k + 1];
                value[used] = p[k + 1];
            }
            used++;
            at[k]++;
        }
    }
}

uint32_t asif_reader_part_moves(asif_reader *draft, const asif_yaml *node, const char *what) {
    double **moves = asif_reader_alloc(draft, draft->parts, sizeof *moves);
    uint32_t S = draft->states.count;
    uint64_t *offset = asif_reader_alloc(draft, (uint64_t)S + 1, sizeof *offset);
    if (!moves || !offset || !read_parts(draft, node, what, moves))
        return ASIF_READER_UNSET;
    for (uint32_t s = 0; s < S; s++)
        offset[s + 1] = offset[s] + add_row(draft, moves, s, NULL, NULL);
    uint32_t *column = asif_reader_alloc(draft, offset[S], sizeof *column);
    double *value = asif_reader_alloc(draft, offset[S], sizeof *value);
    if (!column || !value)
        return ASIF_READER_UNSET;
    for (uint32_t s = 0; s < S; s++)
        add_row(draft, moves, s, column + offset[s], value + offset[s]);
    return asif_reader_sparse(draft, offset, column, value);
}

bool asif_reader_part_start(asif_reader *draft, const asif_yaml *node, const char *what, double *out) {
    double **p = asif_reader_alloc(draft, draft->parts, sizeof *p);
    bool good = p != NULL;
    for (uint32_t k = 0; p && k < draft->parts; k++) {
        const asif_labels *values = &draft->part[k].values;
        const asif_yaml *of = asif_yaml_get(node, draft->part[k].name);
        char name[160];
        asif_format(name, sizeof name, "`%s` in %s", asif_show(draft->part[k].name).text, what);
        p[k] = asif_reader_alloc(draft, values->count, sizeof **p);
        if (!p[k])
            return false;
        if (of) {
            good = asif_reader_distribution(draft, of, values, name, p[k]) && good;
            continue;
        }
        asif_reader_parse_error(draft, node, "%s says nothing of the part `%s`", what,
                                asif_show(draft->part[k].name).text);
        asif_reader_hint(draft, "name every part: {%s: uniform, ...}", asif_show(draft->part[k].name).text);
        return false;
    }
    for (uint32_t s = 0; good && s < draft->states.count; s++) {
        out[s] = 1;
        for (uint32_t k = 0; k < draft->parts; k++)
            out[s] *= p[k][asif_reader_value_of(draft, k, s)];
    }
    return good;
}

uint32_t asif_reader_part_emissions(asif_reader *draft, const double *value) {
    uint32_t S = draft->states.count, H = draft->hidden_values, X = draft->shown.count;
    uint64_t *offset = asif_reader_alloc(draft, (uint64_t)S + 1, sizeof *offset), used = 0;
    uint32_t *column = asif_reader_alloc(draft, (uint64_t)S * X, sizeof *column);
    double *p = asif_reader_alloc(draft, (uint64_t)S * X, sizeof *p);
    if (!offset || !column || !p)
        return ASIF_READER_UNSET;
    for (uint32_t s = 0; s < S; s++) {
        for (uint32_t x = 0; x < X; x++) {
            if (!(value[(uint64_t)s * X + x] > 0))
                continue;
            column[used] = s / H * X + x;
            p[used++] = value[(uint64_t)s * X + x];
        }
        offset[s + 1] = used;
    }
    return asif_reader_sparse_of(draft, draft->observations.count, offset, column, p);
}
