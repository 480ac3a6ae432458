#include "theta/prior.h"

#include "base/error.h"
#include "base/numeric/special.h"

#include <math.h>
#include <string.h>

#define LOG_SQRT_2PI 0.91893853320467274178
#define SQRT_HALF 0.70710678118654752440

/* ---- densities and tails ---- */

static double normal_density(const double *n, const asif_prior_point *at, asif_prior_point *slope) {
    double z = (at->v - n[0]) / n[1];
    slope->v = -z / n[1];
    return -0.5 * z * z - log(n[1]) - LOG_SQRT_2PI;
}
static double normal_tail(const double *n, const asif_prior_point *at, bool upper) {
    double z = (at->v - n[0]) / n[1];
    return 0.5 * erfc((upper ? z : -z) * SQRT_HALF);
}

static double lognormal_density(const double *n, const asif_prior_point *at, asif_prior_point *slope) {
    double z = (at->below - n[0]) / n[1];
    slope->below = -1 - z / n[1];
    return -at->below - 0.5 * z * z - log(n[1]) - LOG_SQRT_2PI;
}
static double lognormal_tail(const double *n, const asif_prior_point *at, bool upper) {
    double z = (at->below - n[0]) / n[1];
    return 0.5 * erfc((upper ? z : -z) * SQRT_HALF);
}

/* log(1 + z^2/nu), also where z^2 overflows. */
static double log1p_square(double z, double nu) {
    return fabs(z) > 1e100 ? 2 * log(fabs(z)) - log(nu) : log1p(z * z / nu);
}
static double student_density(const double *n, const asif_prior_point *at, asif_prior_point *slope) {
    double nu = n[0], z = (at->v - n[1]) / n[2];
    slope->v = z == 0 ? 0 : -(nu + 1) / (n[2] * (z + nu / z));
    return -0.5 * (nu + 1) * log1p_square(z, nu) - asif_log_beta(0.5, 0.5 * nu) - 0.5 * log(nu) - log(n[2]);
}
static double student_tail(const double *n, const asif_prior_point *at, bool upper) {
    double nu = n[0], z = (at->v - n[1]) / n[2];
    double outer = 0.5 * asif_beta_below(0.5 * nu, 0.5, -log1p_square(z, nu), -log1p(nu / (z * z)));
    return (z > 0) == upper ? outer : 1 - outer;
}

static double uniform_density(const double *n, const asif_prior_point *at, asif_prior_point *slope) {
    (void)at, (void)slope;
    return -log(n[1] - n[0]);
}
static double uniform_tail(const double *n, const asif_prior_point *at, bool upper) {
    return fmin(fmax(upper ? n[1] - at->v : at->v - n[0], 0) / (n[1] - n[0]), 1);
}

static double beta_density(const double *n, const asif_prior_point *at, asif_prior_point *slope) {
    slope->below = n[0] - 1;
    slope->above = n[1] - 1;
    return (n[0] - 1) * at->below + (n[1] - 1) * at->above - asif_log_beta(n[0], n[1]);
}
static double beta_tail(const double *n, const asif_prior_point *at, bool upper) {
    return upper ? asif_beta_below(n[1], n[0], at->above, at->below)
                 : asif_beta_below(n[0], n[1], at->below, at->above);
}

static double flat_density(const double *n, const asif_prior_point *at, asif_prior_point *slope) {
    (void)n, (void)at, (void)slope;
    return 0;
}

/* ---- the families ---- */

enum { ALL = 0xff };
static const struct {
    const char *name;
    uint32_t least, most; /* how many numbers it takes */
    uint32_t positive;    /* bit i: number i must be positive */
    bool bounded;         /* its two numbers are its support */
    double low, high;     /* else this is its support */
    const char *example;
    double (*density)(const double *n, const asif_prior_point *at, asif_prior_point *slope);
    double (*tail)(const double *n, const asif_prior_point *at, bool upper);
} families[] = {
    [ASIF_PRIOR_NORMAL] = {"normal", 2, 2, 2, false, -INFINITY, INFINITY, "normal(mean, sd)", normal_density,
                           normal_tail},
    [ASIF_PRIOR_LOGNORMAL] = {"lognormal", 2, 2, 2, false, 0, INFINITY,
                              "lognormal(mean of the log, sd of the log)", lognormal_density, lognormal_tail},
    [ASIF_PRIOR_STUDENT_T] = {"student_t", 3, 3, 5, false, -INFINITY, INFINITY,
                              "student_t(degrees of freedom, location, scale)", student_density,
                              student_tail},
    [ASIF_PRIOR_UNIFORM] = {"uniform", 2, 2, 0, true, 0, 0, "uniform(low, high)", uniform_density,
                            uniform_tail},
    [ASIF_PRIOR_BETA] = {"beta", 2, 2, ALL, false, 0, 1, "beta(a, b)", beta_density, beta_tail},
    [ASIF_PRIOR_DIRICHLET] = {"dirichlet", 2, UINT32_MAX, ALL, false, 0, 1, "dirichlet(a, b, ...)", NULL,
                              NULL},
    [ASIF_PRIOR_FLAT] = {"flat", 0, 0, 0, false, -INFINITY, INFINITY, "flat", flat_density, NULL},
};
enum { FAMILIES = sizeof families / sizeof *families };

void asif_prior_support(const asif_prior *prior, double *low, double *high) {
    bool bounded = families[prior->kind].bounded;
    *low = bounded ? prior->number[0] : families[prior->kind].low;
    *high = bounded ? prior->number[1] : families[prior->kind].high;
}

double asif_prior_log_density(const asif_prior *prior, const asif_prior_point *at, asif_prior_point *slope) {
    *slope = (asif_prior_point){0, 0, 0};
    return families[prior->kind].density(prior->number, at, slope);
}

double asif_prior_tail(const asif_prior *prior, const asif_prior_point *at, bool upper) {
    return families[prior->kind].tail(prior->number, at, upper);
}

/* ---- text ---- */

void asif_prior_words(const asif_prior *prior, asif_text *text) {
    asif_text_add(text, families[prior->kind].name);
    for (uint32_t i = 0; i < prior->count && i < 3; i++)
        asif_text_addf(text, "%s%.6g", i ? ", " : "(", prior->number[i]);
    if (prior->count > 3)
        asif_text_add(text, ", ...");
    if (prior->count)
        asif_text_add(text, ")");
}

/* Reads the numbers between the brackets; false if one is not a number. */
static bool read_numbers(const char *text, const char *end, asif_prior *out, double *weight, uint32_t room,
                         double *smallest) {
    while (text < end) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *a = text, *b = comma ? comma : end;
        double x = 0;
        while (a < b && *a == ' ')
            a++;
        while (b > a && b[-1] == ' ')
            b--;
        if (!asif_number_read(a, (uint64_t)(b - a), &x) || !isfinite(x))
            return false;
        if (out->count < 3)
            out->number[out->count] = x;
        if (out->count < room)
            weight[out->count] = x;
        *smallest = fmin(*smallest, x);
        out->count++;
        if (!comma)
            return true;
        text = comma + 1;
        if (text == end)
            return false;
    }
    return true;
}

static asif_status not_positive(const char *text, double x, const char *example, asif_error *error) {
    char number[ASIF_NUMBER_SIZE];
    asif_fail(error, ASIF_EINVALID, "in the prior `%s`, %s must be above 0", asif_show(text).text,
              asif_number_text(number, x));
    asif_error_hint(error, "write %s", example);
    return ASIF_EINVALID;
}

asif_status asif_prior_read(asif_prior *out, double *weight, uint32_t room, const char *text,
                            asif_error *error) {
    *out = (asif_prior){.kind = ASIF_PRIOR_NORMAL};
    size_t name = strcspn(text, "("), length = strlen(text), k = 0;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (name > 0 && text[name - 1] == ' ')
        name--;
    while (k < FAMILIES && (strlen(families[k].name) != name || strncmp(families[k].name, text, name) != 0))
        k++;
    if (k == FAMILIES) {
        asif_fail(error, ASIF_EPARSE, "`%s` is not a prior", asif_show(text).text);
        asif_error_hint(error, "priors are normal, lognormal, student_t, uniform, beta, dirichlet and flat, "
                               "such as normal(0, 1)");
        return ASIF_EPARSE;
    }
    out->kind = (asif_prior_kind)k;
    const char *open = strchr(text, '('), *example = families[k].example;
    bool closed = !open || text[length - 1] == ')';
    double smallest = INFINITY;
    bool good = closed && (!open || read_numbers(open + 1, text + length - 1, out, weight, room, &smallest));
    if (!good || out->count < families[k].least || out->count > families[k].most) {
        asif_fail(error, ASIF_EPARSE, "the prior `%s` is not complete", asif_show(text).text);
        asif_error_hint(error, "write %s%s", example, closed ? "" : "; put it in quotes inside { }");
        return ASIF_EPARSE;
    }
    if (families[k].positive == ALL && !(smallest > 0))
        return not_positive(text, smallest, example, error);
    for (uint32_t i = 0; i < 3 && i < out->count; i++)
        if ((families[k].positive >> i & 1) && !(out->number[i] > 0))
            return not_positive(text, out->number[i], example, error);
    if (families[k].bounded && !(out->number[0] < out->number[1]))
        return asif_fail(error, ASIF_EINVALID, "in the prior `%s`, the first number must be the smaller one",
                         asif_show(text).text);
    return ASIF_OK;
}

asif_status asif_prior_suits(const asif_prior *prior, bool distribution, const char *name,
                             asif_error *error) {
    bool dirichlet = prior->kind == ASIF_PRIOR_DIRICHLET;
    if (prior->kind == ASIF_PRIOR_FLAT || dirichlet == distribution)
        return ASIF_OK;
    if (distribution) {
        asif_fail(error, ASIF_EINVALID, "the prior of %s cannot be %s: it is a distribution", name,
                  families[prior->kind].name);
        asif_error_hint(error, "write dirichlet with a number for each entry, such as dirichlet(1, 1)");
    } else {
        asif_fail(error, ASIF_EINVALID, "the prior of %s cannot be dirichlet: it is a number",
                  asif_show(name).text);
        asif_error_hint(error, "priors of numbers are normal, lognormal, student_t, uniform, beta and flat");
    }
    return ASIF_EINVALID;
}
