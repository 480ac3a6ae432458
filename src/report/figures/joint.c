/* Pairs of estimated numbers: draws, and contour lines of their density. */
#include "render/figures/density.h"
#include "render/words/sentences.h"
#include "report/figures/drawn.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "fit/fit.h"
#include "theta/estimates.h"

#include <math.h>

#define PAIRS 3
#define NUMBERS 40     /* most numbers whose pairs are compared */
#define POINTS 300     /* points of a panel */
#define LINE_POINTS 60 /* points of a contour line, about */
#define SAME 1e-9      /* 1 - r^2 below which two numbers count as functions of each other */
#define ROOM 0.04      /* margin around the points and lines */

static const double holds[] = {50, 90}; /* percent of the draws inside each line */
enum { LEVELS = sizeof holds / sizeof *holds };

/* Draws of one fit, on the scale of asif_estimate_line() and standardised. */
typedef struct {
    uint64_t count;
    double *z; /* [numbers][count]; the first is NaN if a number has no draws, or is constant */
    double *mean, *sd;
} standard;

typedef struct {
    uint32_t first, second;
    double size; /* largest absolute correlation in any group */
} pair;

typedef struct {
    asif_figure figure;
    const asif_source *source;
    const asif_drawn *drawn;
    uint32_t numbers, fits;
    standard *fit;
    pair pair[PAIRS];
    uint32_t pairs, at; /* at: the current pair */
    double low[2], high[2];
    asif_plane *plane;
    double *level; /* working space: densities at the draws, or on the lattice */
    bool prior, wider;
} joint;

/* ---- standardised draws ---- */

static void standardise(joint *j, uint32_t f, uint32_t k) {
    standard *s = &j->fit[f];
    const asif_source_fit *fit = &j->source->fit[f]; /* draws of rival explanations are not pooled */
    const double *value = fit->fit.rivals ? NULL : asif_drawn_values(fit, j->drawn[k].name);
    double *z = s->z + k * s->count, mean = 0, sum = 0;
    z[0] = NAN;
    for (uint64_t i = 0; value && i < s->count; i++) {
        z[i] = asif_estimate_line(j->drawn[k].info, value[i]);
        mean += z[i] / (double)s->count;
    }
    for (uint64_t i = 0; value && i < s->count; i++)
        sum += (z[i] - mean) * (z[i] - mean);
    s->mean[k] = mean;
    s->sd[k] = sqrt(sum / (double)(s->count - 1));
    if (!value || !isfinite(s->sd[k]) || !(s->sd[k] > 1e-12 * fabs(mean))) {
        z[0] = NAN;
        return;
    }
    for (uint64_t i = 0; i < s->count; i++)
        z[i] = (z[i] - mean) / s->sd[k];
}

static asif_status read_draws(joint *j, asif_error *error) {
    const asif_context *context = j->source->context;
    uint64_t most = (uint64_t)ASIF_PLANE_SIZE * ASIF_PLANE_SIZE;
    j->fit = ASIF_ARRAY(context, j->fits, standard);
    j->plane = ASIF_NEW(context, asif_plane);
    if (!j->fit || !j->plane)
        return asif_fail_memory(error);
    for (uint32_t f = 0; f < j->fits; f++) {
        standard *s = &j->fit[f];
        s->count = j->source->fit[f].draws.chains * j->source->fit[f].draws.draws;
        if (s->count < 2)
            s->count = 0;
        most = s->count > most ? s->count : most;
        s->z = ASIF_ARRAY(context, j->numbers * s->count, double);
        s->mean = ASIF_ARRAY(context, j->numbers, double);
        s->sd = ASIF_ARRAY(context, j->numbers, double);
        if (!s->z || !s->mean || !s->sd)
            return asif_fail_memory(error);
        for (uint32_t k = 0; s->count && k < j->numbers; k++)
            standardise(j, f, k);
    }
    j->level = ASIF_ARRAY(context, most, double);
    return j->level ? ASIF_OK : asif_fail_memory(error);
}

/* Correlation of two numbers; NaN: one of them has no draws, or they are functions of each other. */
static double correlation(const joint *j, uint32_t f, uint32_t a, uint32_t b) {
    const standard *s = &j->fit[f];
    if (!s->count || isnan(s->z[a * s->count]) || isnan(s->z[b * s->count]))
        return NAN;
    double sum = 0;
    for (uint64_t i = 0; i < s->count; i++)
        sum += s->z[a * s->count + i] * s->z[b * s->count + i];
    double r = sum / (double)(s->count - 1);
    return 1 - r * r > SAME ? r : NAN;
}

/* Find the pairs with the largest correlations, in descending order. */
static void find_pairs(joint *j) {
    for (uint32_t a = 0; a < j->numbers; a++)
        for (uint32_t b = a + 1; b < j->numbers; b++) {
            double size = -1;
            for (uint32_t f = 0; f < j->fits && !asif_same_distribution(j->drawn[a].info, j->drawn[b].info);
                 f++) {
                double r = fabs(correlation(j, f, a, b));
                size = r > size ? r : size;
            }
            uint32_t at = j->pairs;
            while (at > 0 && j->pair[at - 1].size < size)
                at--;
            if (size < 0 || at == PAIRS)
                continue;
            j->pairs += j->pairs < PAIRS;
            for (uint32_t i = j->pairs - 1; i > at; i--)
                j->pair[i] = j->pair[i - 1];
            j->pair[at] = (pair){a, b, size};
        }
}

/* ---- data ---- */

static void grow(joint *j, const double *number) {
    for (uint32_t k = 0; k < 2; k++) {
        j->low[k] = fmin(j->low[k], number[k]);
        j->high[k] = fmax(j->high[k], number[k]);
    }
}

static const asif_drawn *axis_of(const joint *j, uint32_t axis) {
    const pair *p = &j->pair[j->at];
    return &j->drawn[axis ? p->second : p->first];
}

static void begin_row(joint *j, const char *group) {
    asif_json_object(&j->figure.data, NULL);
    asif_json_count(&j->figure.data, "pair", j->at + 1);
    if (group)
        asif_json_string(&j->figure.data, "group", group);
}

static void put_xy(joint *j, const double *number) {
    asif_figure_number(&j->figure, "x", asif_drawn_shown(axis_of(j, 0), number[0]));
    asif_figure_number(&j->figure, "y", asif_drawn_shown(axis_of(j, 1), number[1]));
}

static bool has_pair(const joint *j, uint32_t f) {
    return !isnan(correlation(j, f, j->pair[j->at].first, j->pair[j->at].second));
}

static void add_draws(joint *j) {
    char group[ASIF_CELL_SIZE];
    for (uint32_t f = 0; f < j->fits; f++) {
        if (!has_pair(j, f))
            continue;
        const uint64_t n = j->fit[f].count, points = n < POINTS / j->fits ? n : POINTS / j->fits;
        const double *x = asif_drawn_values(&j->source->fit[f], axis_of(j, 0)->name);
        const double *y = asif_drawn_values(&j->source->fit[f], axis_of(j, 1)->name);
        for (uint64_t i = 0; i < points; i++) {
            const double number[] = {x[i * n / points], y[i * n / points]};
            begin_row(j, asif_drawn_group(group, j->source, f));
            put_xy(j, number);
            asif_json_end(&j->figure.data);
            grow(j, number);
        }
    }
}

/* Add contour lines, thinned to few points; `back` converts a point of the plane to the two numbers. */
static void add_lines(joint *j, const asif_contour *lines, const char *group, double percent,
                      void (*back)(const joint *j, const void *with, double x, double y, double *number),
                      const void *with) {
    uint32_t every = lines->count / LINE_POINTS + 1;
    for (uint32_t i = 0; i < lines->count; i++) {
        bool last = i + 1 == lines->count || lines->path[i + 1] != lines->path[i];
        bool first = i == 0 || lines->path[i - 1] != lines->path[i];
        double number[2];
        if (i % every != 0 && !first && !last)
            continue;
        back(j, with, lines->x[i], lines->y[i], number);
        begin_row(j, group);
        asif_json_number(&j->figure.data, "holds", percent);
        asif_json_count(&j->figure.data, "path", lines->path[i]);
        asif_json_count(&j->figure.data, "order", i);
        put_xy(j, number);
        asif_json_end(&j->figure.data);
        if (group)
            grow(j, number);
    }
}

typedef struct {
    uint32_t fit;
    double r;
} whitening;

/* Convert uncorrelated numbers with standard deviation 1 to the numbers of the pair. */
static void colour(const joint *j, const void *with, double x, double y, double *number) {
    const whitening *w = with;
    const standard *s = &j->fit[w->fit];
    const uint32_t k[] = {j->pair[j->at].first, j->pair[j->at].second};
    const double z[] = {x, w->r * x + sqrt(1 - w->r * w->r) * y};
    for (uint32_t i = 0; i < 2; i++)
        number[i] = asif_line_back(j->drawn[k[i]].info, s->mean[k[i]] + s->sd[k[i]] * z[i]);
}

/* Add the lines around the regions of highest density that contain given shares of the draws. The level of a
 * region is a quantile of the densities at the draws (Hyndman 1996). */
static asif_status add_contours(joint *j, uint32_t f, asif_error *error) {
    const standard *s = &j->fit[f];
    const pair *p = &j->pair[j->at];
    const whitening w = {f, correlation(j, f, p->first, p->second)};
    char group[ASIF_CELL_SIZE];
    double *white = ASIF_ARRAY(j->source->context, s->count, double);
    if (!white)
        return asif_fail_memory(error);
    const double *x = s->z + p->first * s->count, *y = s->z + p->second * s->count;
    for (uint64_t i = 0; i < s->count; i++)
        white[i] = (y[i] - w.r * x[i]) / sqrt(1 - w.r * w.r);
    asif_plane_fill(j->plane, x, white, s->count);
    for (uint64_t i = 0; i < s->count; i++)
        j->level[i] = asif_plane_at(j->plane, x[i], white[i]);
    asif_free(j->source->context, white);
    asif_sort(j->level, s->count);
    for (uint32_t k = 0; k < LEVELS; k++) {
        asif_contour lines;
        asif_status status = asif_contour_trace(&lines, j->source->context, j->plane,
                                                asif_quantile(j->level, s->count, 1 - holds[k] / 100), error);
        if (status == ASIF_OK)
            add_lines(j, &lines, asif_drawn_group(group, j->source, f), holds[k], colour, &w);
        asif_contour_free(j->source->context, &lines);
        ASIF_TRY(status);
    }
    return ASIF_OK;
}

/* ---- the prior ---- */

static double prior_density(const asif_drawn *d, double t) {
    double number = asif_line_back(d->info, t), slope = asif_drawn_slope(d->info, number);
    double density = asif_prior_marginal(d->estimates, d->index, number) / slope;
    return isfinite(density) ? density : 0;
}

static void fill_prior(joint *j) {
    double along[2][ASIF_PLANE_SIZE];
    for (uint32_t k = 0; k < 2; k++) {
        const asif_drawn *d = axis_of(j, k);
        double width = d->info->prior_q95 - d->info->prior_q05;
        j->plane->low[k] = d->info->prior_q05 - width;
        j->plane->step[k] = 3 * width / (ASIF_PLANE_SIZE - 1);
        for (uint32_t i = 0; i < ASIF_PLANE_SIZE; i++)
            along[k][i] = i == 0 || i + 1 == ASIF_PLANE_SIZE
                              ? 0
                              : prior_density(d, j->plane->low[k] + i * j->plane->step[k]);
    }
    for (uint32_t y = 0; y < ASIF_PLANE_SIZE; y++)
        for (uint32_t x = 0; x < ASIF_PLANE_SIZE; x++)
            j->plane->value[y][x] = along[0][x] * along[1][y];
}

/* The density level above which 90 % of the prior is; 0: the plane contains less in all. */
static double prior_level(joint *j) {
    const uint32_t n = ASIF_PLANE_SIZE * ASIF_PLANE_SIZE;
    double cell = j->plane->step[0] * j->plane->step[1], sum = 0;
    for (uint32_t i = 0; i < n; i++)
        j->level[i] = j->plane->value[i / ASIF_PLANE_SIZE][i % ASIF_PLANE_SIZE];
    asif_sort(j->level, n);
    for (uint32_t i = n; i-- > 0;) {
        sum += j->level[i] * cell;
        if (sum >= holds[LEVELS - 1] / 100)
            return j->level[i];
    }
    return 0;
}

static void plain(const joint *j, const void *with, double x, double y, double *number) {
    (void)with;
    number[0] = asif_line_back(axis_of(j, 0)->info, x);
    number[1] = asif_line_back(axis_of(j, 1)->info, y);
}

static bool in_range(const joint *j, const asif_contour *lines) {
    for (uint32_t i = 0; i < lines->count; i++) {
        double number[2];
        plain(j, NULL, lines->x[i], lines->y[i], number);
        if (number[0] > j->low[0] && number[0] < j->high[0] && number[1] > j->low[1] &&
            number[1] < j->high[1])
            return true;
    }
    return false;
}

static asif_status add_prior(joint *j, asif_error *error) {
    asif_contour lines = {0};
    if (!axis_of(j, 0)->info->proper || !axis_of(j, 1)->info->proper)
        return ASIF_OK;
    fill_prior(j);
    double level = prior_level(j);
    if (!(level > 0))
        return ASIF_OK;
    asif_status status = asif_contour_trace(&lines, j->source->context, j->plane, level, error);
    bool within = status == ASIF_OK && in_range(j, &lines);
    if (within)
        add_lines(j, &lines, NULL, holds[LEVELS - 1], plain, NULL);
    j->prior |= within;
    j->wider |= !within;
    asif_contour_free(j->source->context, &lines);
    return status;
}

/* ---- truth, words, panels ---- */

static bool truth_of(const joint *j, double *number) {
    for (uint32_t k = 0; k < 2; k++)
        number[k] = asif_source_truth(j->source, axis_of(j, k)->name);
    return !isnan(number[0]) && !isnan(number[1]);
}

static void add_truth(joint *j) {
    double number[2];
    if (!truth_of(j, number))
        return;
    begin_row(j, NULL);
    put_xy(j, number);
    asif_json_end(&j->figure.data);
}

static void add_words(joint *j, uint32_t f) {
    asif_text words = {.context = j->source->context}, *alt = &words;
    char group[ASIF_CELL_SIZE], cell[ASIF_CELL_SIZE];
    double r = correlation(j, f, j->pair[j->at].first, j->pair[j->at].second);
    asif_drawn_in(alt, j->source, f);
    asif_drawn_words(alt, axis_of(j, 0));
    asif_text_add(alt, " and ");
    asif_drawn_words(alt, axis_of(j, 1));
    asif_format(cell, sizeof cell, "%.2f", r);
    asif_text_addf(alt, " have the correlation %s%s", cell,
                   r > 0.8    ? ": large values of one come with large ones of the other"
                   : r < -0.8 ? ": large values of one come with small ones of the other"
                              : "");
    asif_sentence_join(&j->figure.alt, &words);
    asif_drawn_cell(&j->figure, axis_of(j, 0));
    asif_drawn_cell(&j->figure, axis_of(j, 1));
    if (j->source->fits > 1)
        asif_figure_cell(&j->figure, asif_drawn_group(group, j->source, f));
    asif_figure_cell(&j->figure, cell);
}

static asif_status add_panel(joint *j, asif_error *error) {
    static const char *const axes[] = {"x", "y"};
    char number[16];
    for (uint32_t k = 0; k < 2; k++) {
        double room = ROOM * (j->high[k] - j->low[k]);
        asif_drawn_axis(&j->figure, axes[k], axis_of(j, k), j->low[k] - room, j->high[k] + room);
    }
    asif_format(number, sizeof number, "%u", j->at + 1);
    asif_figure_slot_json(&j->figure, "pair", number);
    asif_drawn_legend(&j->figure, j->source);
    return asif_figure_panel(&j->figure, "joint-panel.vl.json", error);
}

enum { DRAWS, CONTOURS, PRIOR, TRUTH, SETS };
static const char *const sets[] = {"draws", "contours", "prior", "truth"};

static asif_status add_pair(joint *j, uint32_t set, double range[2][2], asif_error *error) {
    double truth[2];
    for (uint32_t k = 0; k < 2; k++) {
        j->low[k] = set ? range[0][k] : INFINITY;
        j->high[k] = set ? range[1][k] : -INFINITY;
    }
    if (set == DRAWS)
        add_draws(j);
    if (set == DRAWS && truth_of(j, truth))
        grow(j, truth);
    for (uint32_t f = 0; f < j->fits && set == CONTOURS; f++)
        if (has_pair(j, f)) {
            add_words(j, f);
            ASIF_TRY(add_contours(j, f, error));
        }
    if (set == CONTOURS)
        ASIF_TRY(add_panel(j, error));
    if (set == PRIOR)
        ASIF_TRY(add_prior(j, error));
    if (set == TRUTH)
        add_truth(j);
    for (uint32_t k = 0; k < 2; k++) {
        range[0][k] = j->low[k];
        range[1][k] = j->high[k];
    }
    return ASIF_OK;
}

static void add_caption(joint *j) {
    asif_text *caption = &j->figure.caption;
    asif_text_add(
        caption,
        "Points are draws; the thick line holds the most probable 50 %, the thin one 90 %. A long, narrow "
        "shape means that the logs determine a combination of the two numbers better than either of them. "
        "The figure shows the pairs with the largest correlations.");
    if (j->prior)
        asif_text_add(caption, " The dotted line holds 90 % of the prior.");
    if (j->wider)
        asif_text_addf(caption, " %s wider than what is drawn.",
                       j->prior ? "Where there is none, the prior is" : "The prior is");
    if (j->source->request->truths)
        asif_text_add(caption, " A cross is the truth, where both are known.");
    if (j->fits < j->source->fits)
        asif_drawn_left(caption, j->source->fits, ASIF_DRAWN_GROUPS, "groups");
}

static asif_status fill(joint *j, asif_error *error) {
    double range[PAIRS][2][2] = {{{0}}};
    const char *heads[4] = {"", "with", "correlation", "correlation"};
    ASIF_TRY(read_draws(j, error));
    find_pairs(j);
    if (j->source->fits > 1)
        heads[2] = "group";
    asif_figure_table(&j->figure, j->source->fits > 1 ? 4 : 3, heads);
    for (uint32_t set = 0; set < SETS; set++) {
        asif_json_array(&j->figure.data, sets[set]);
        for (j->at = 0; j->at < j->pairs; j->at++)
            ASIF_TRY(add_pair(j, set, range[j->at], error));
        asif_json_end(&j->figure.data);
    }
    asif_text_add(&j->figure.title, "What the logs say about pairs of numbers");
    add_caption(j);
    return ASIF_OK;
}

static void free_joint(joint *j) {
    const asif_context *context = j->source->context;
    for (uint32_t f = 0; j->fit && f < j->fits; f++) {
        asif_free(context, j->fit[f].z);
        asif_free(context, j->fit[f].mean);
        asif_free(context, j->fit[f].sd);
    }
    asif_free(context, j->fit);
    asif_free(context, j->plane);
    asif_free(context, j->level);
}

asif_status asif_figure_joint(asif_figures *list, const asif_source *source, asif_error *error) {
    asif_drawn *drawn = NULL;
    uint32_t count = 0;
    if (!asif_drawn_any(source))
        return ASIF_OK;
    ASIF_TRY(asif_drawn_list(&drawn, &count, source, error));
    joint j = {.source = source,
               .drawn = drawn,
               .numbers = count < NUMBERS ? count : NUMBERS,
               .fits = source->fits < ASIF_DRAWN_GROUPS ? source->fits : ASIF_DRAWN_GROUPS};
    asif_figure_init(&j.figure, source->context, "joint");
    asif_status status = fill(&j, error);
    free_joint(&j);
    asif_free(source->context, drawn);
    if (status == ASIF_OK && j.pairs)
        return asif_figure_end(list, &j.figure, "joint.vl.json", error);
    asif_figure_free(&j.figure);
    return status;
}
