#include "sample/stan/stan_csv.h"

#include "base/data/csv.h"
#include "base/error.h"
#include "base/memory.h"
#include "sample/draws.h"

#include <string.h>

/* Writing Stan's CSV files. The comments are those that readers ask for: cmdstanpy the settings, the metric's
 * kind and max_depth, the lines of adaptation between header and draws and at least two comments after the
 * draws; ArviZ the settings; cmdstanr also `id`. A sampler without Hamiltonian columns is `fixed_param` to
 * all of them. Settings that Stan does not have begin with `asif_`. There are no times and dates: the same
 * draws make the same bytes. */

static void add_setting(asif_text *text, const char *indent, asif_stan_setting setting, uint64_t value) {
    asif_text_addf(text, "# %s%s = %llu\n", indent, asif_stan_key[setting], (unsigned long long)value);
}

/* Add the name of the model. Other characters become `_`, because readers split at blanks and equal signs. */
static void add_model(asif_text *text, const char *model) {
    asif_text_add(text, "# model = ");
    for (const char *c = model && *model ? model : "asif"; *c; c++)
        asif_text_add_n(text, asif_stan_letter(*c) && *c != ':' ? c : "_", 1);
    asif_text_add(text, "\n");
}

static void add_settings(asif_text *text, const asif_draws_view *v, uint32_t chain) {
    bool nuts = v->method == ASIF_METHOD_NUTS;
    asif_text_add(text, "# method = sample (Default)\n#   sample\n");
    add_setting(text, "    ", ASIF_STAN_SAMPLES, v->draws * v->thin);
    add_setting(text, "    ", ASIF_STAN_WARMUP, v->warmup);
    add_setting(text, "    ", ASIF_STAN_SAVE_WARMUP, 0);
    add_setting(text, "    ", ASIF_STAN_THIN, v->thin);
    asif_text_addf(text, "#     adapt\n#       engaged = %d\n", v->method != ASIF_METHOD_PUBLISHED);
    if (nuts) {
        asif_text_add(text,
                      "#     algorithm = hmc\n#       hmc\n#         engine = nuts\n#           nuts\n");
        add_setting(text, "            ", ASIF_STAN_MAX_DEPTH, v->max_depth);
        asif_text_addf(text, "#         metric = %s\n", v->metric ? "dense_e" : "unit_e");
    } else {
        asif_text_add(text, "#     algorithm = fixed_param\n");
        add_setting(text, "    ", ASIF_STAN_MAX_DEPTH, v->max_depth);
    }
    asif_text_addf(text, "# id = %u\n# random\n", chain + 1);
    add_setting(text, "  ", ASIF_STAN_SEED, v->seed);
}

static void add_adaptation(asif_text *text, const asif_draws_view *v, uint32_t chain) {
    bool nuts = v->method == ASIF_METHOD_NUTS;
    uint64_t n = v->dimension;
    if (nuts)
        asif_text_add(text, "# " ASIF_STAN_ADAPTED "\n");
    if (nuts || v->step[chain] != 0) {
        asif_text_add(text, "# " ASIF_STAN_STEP " = ");
        asif_csv_number(text, v->step[chain], true);
    }
    if (v->metric)
        asif_text_addf(text, "# %s\n", nuts ? ASIF_STAN_DENSE : ASIF_STAN_WALK);
    else if (nuts)
        asif_text_add(text, "# No free parameters for unit metric\n");
    for (uint64_t i = 0; v->metric && i < n; i++) {
        const double *row = v->metric + (chain * n + i) * n;
        for (uint64_t j = 0; j < n; j++) {
            asif_text_add(text, j == 0 ? "# " : ", ");
            asif_text_add_number(text, row[j]);
        }
        asif_text_add(text, "\n");
    }
}

static void add_rows(asif_text *text, const asif_draws_view *v, uint32_t chain, uint32_t stats) {
    for (uint64_t i = 0; i < v->draws && !text->failed; i++) {
        for (uint32_t s = 0; s < stats; s++)
            asif_csv_number(text, v->stat[((uint64_t)s * v->chains + chain) * v->draws + i], false);
        for (uint32_t c = 0; c < v->columns; c++)
            asif_csv_number(text, v->value[((uint64_t)c * v->chains + chain) * v->draws + i],
                            c + 1 == v->columns);
    }
}

/* Whether every reader accepts a name: after a `.` comes an index. */
static bool good_name(const char *name) {
    for (const char *c = name; *c; c++)
        if (!asif_stan_letter(*c) || (*c == '.' && !(c > name && c[1] >= '0' && c[1] <= '9')))
            return false;
    return *name && !asif_stan_own(name, strlen(name));
}

asif_status asif_draws_csv(char **out, const asif_draws *draws, uint32_t chain, const char *model,
                           asif_error *error) {
    const asif_draws_view *v = &draws->view;
    *out = NULL;
    if (chain >= v->chains)
        return asif_fail(error, ASIF_EDOMAIN, "there is no chain %u: there are %u", chain, v->chains);
    for (uint32_t c = 0; c < v->columns; c++)
        if (!good_name(v->name[c]))
            return asif_fail(error, ASIF_EDOMAIN, "`%s` cannot be the name of a column in a Stan CSV file",
                             asif_show(v->name[c]).text);
    uint32_t stats = v->method == ASIF_METHOD_NUTS ? ASIF_STAT_COUNT : ASIF_STAT_ACCEPT + 1;
    asif_text text = {.context = draws->context};
    asif_text_addf(&text, "# asif_version = %s\n# asif_method = %s\n", asif_version(),
                   asif_method_text(v->method));
    add_model(&text, model);
    add_settings(&text, v, chain);
    for (uint32_t s = 0; s < stats; s++)
        asif_csv_field(&text, asif_stan_stat[s], false);
    for (uint32_t c = 0; c < v->columns; c++)
        asif_csv_field(&text, v->name[c], c + 1 == v->columns);
    add_adaptation(&text, v, chain);
    add_rows(&text, v, chain, stats);
    asif_text_add(&text, "#\n#\n");
    if (text.failed) {
        asif_text_free(&text);
        return asif_fail_memory(error);
    }
    *out = text.data;
    return ASIF_OK;
}
