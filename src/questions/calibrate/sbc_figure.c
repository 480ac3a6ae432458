/* Histograms of the ranks of true values among draws, with a band for uniform ranks. */
#include "render/figures/figure.h"
#include "render/figures/figure_numbers.h"

#include <math.h>

#define BAND 0.99

/* The smallest k with P(X <= k) >= p, for a binomial X. */
static double binomial_quantile(double p, double n, double chance) {
    double below = 0;
    for (double k = 0; k < n; k++) {
        below += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(chance) +
                     (n - k) * log1p(-chance));
        if (below >= p)
            return k;
    }
    return n;
}

/* A histogram, and the band that chance allows. */
typedef struct {
    const char *name;
    uint32_t panel, bins;
    double ranks, low, high, expected;
} quantity;

static bool is_outside(const quantity *q, double count) {
    return count < q->low || count > q->high;
}

static void add_bin(asif_figure *figure, const quantity *q, uint32_t b, double count) {
    asif_json_object(&figure->data, NULL);
    asif_json_count(&figure->data, "panel", q->panel);
    asif_json_string(&figure->data, "number", q->name);
    asif_figure_number(figure, "from", b * q->ranks / q->bins);
    asif_figure_number(figure, "to", (b + 1) * q->ranks / q->bins);
    asif_figure_number(figure, "count", count);
    asif_figure_number(figure, "low", q->low);
    asif_figure_number(figure, "high", q->high);
    asif_figure_number(figure, "expected", q->expected);
    asif_json_string(&figure->data, "where", is_outside(q, count) ? "outside" : "inside");
    asif_json_end(&figure->data);
}

static void add_quantity(asif_figure *figure, const asif_yaml *node, const char *name, uint32_t panel,
                         double ranks) {
    const asif_yaml *histogram = asif_yaml_part(node, "histogram");
    uint32_t bins = asif_figure_count(histogram), outside = 0;
    double all = asif_yaml_value(node, "count"), p = asif_yaml_value(node, "p");
    char cell[ASIF_CELL_SIZE];
    if (bins < 2 || !(all > 0) || all > 1e6)
        return;
    const quantity q = {name,
                        panel,
                        bins,
                        ranks,
                        binomial_quantile((1 - BAND) / 2, all, 1.0 / bins),
                        binomial_quantile((1 + BAND) / 2, all, 1.0 / bins),
                        all / bins};
    for (uint32_t b = 0; b < bins; b++) {
        double count = asif_figure_scalar(histogram->item[b]);
        outside += is_outside(&q, count) ? 1 : 0;
        add_bin(figure, &q, b, count);
    }
    asif_figure_cell(figure, name);
    asif_figure_cell_number(figure, all);
    asif_figure_cell_number(figure, asif_yaml_value(node, "chi_square"));
    asif_format(cell, sizeof cell, p < 0.0001 ? "below 0.0001" : "%.*f", p < 0.01 ? 4 : 2, p);
    asif_figure_cell(figure, cell);
    asif_text_addf(&figure->alt, "; %s: p %s%s", name, p < 0.0001 ? "" : "= ", cell);
    asif_format(cell, sizeof cell, "%u of %u", outside, bins);
    asif_figure_cell(figure, cell);
    asif_text_addf(&figure->alt, ", %s bins outside the band", cell);
}

asif_status asif_figure_sbc(asif_figures *list, const asif_source *source, asif_error *error) {
    static const char *const heads[] = {"", "agents", "chi-square", "p", "bins outside"};
    const asif_source_extra *extra = asif_source_find(source, "sbc");
    const asif_yaml *parameters = extra ? asif_yaml_part(extra->root, "parameters") : NULL;
    asif_figure figure;
    if (!parameters || parameters->kind != ASIF_YAML_MAP)
        return ASIF_OK;
    double ranks = asif_yaml_value(extra->root, "ranks");
    asif_figure_init(&figure, source->context, "sbc");
    asif_text_add(&figure.title, "Ranks of the truth among draws");
    asif_text_addf(&figure.alt, "Ranks of %.0f simulated agents' truths are %s (chi-square at 1 %% together)",
                   asif_yaml_value(extra->root, "done"),
                   asif_yaml_flag(extra->root, "uniform") ? "uniform, as far as this test can see"
                                                          : "not all uniform");
    asif_text_add(
        &figure.caption,
        "Agents are drawn from the priors, simulated and fitted. If the inference is calibrated, the "
        "rank of the truth among the draws is uniform: bars stay in the grey band (99 % of what "
        "chance makes of a bar) around the line. A valley says that posteriors are too narrow, a "
        "hill that they are too wide, a slope that they lie to one side.");
    asif_figure_table(&figure, sizeof heads / sizeof *heads, heads);
    asif_json_array(&figure.data, "ranks");
    for (uint32_t i = 0; i < parameters->count; i++) {
        asif_summary_number number = asif_figure_number_in(parameters, i);
        asif_text name = {.context = source->context};
        asif_figure_number_name(&name, &number, false);
        add_quantity(&figure, parameters->item[i], name.data ? name.data : "", i, ranks);
        figure.alt.failed |= name.failed;
        asif_text_free(&name);
    }
    add_quantity(&figure, asif_yaml_part(extra->root, "log_likelihood"), "likelihood", parameters->count,
                 ranks);
    asif_text_add(&figure.alt, ".");
    asif_json_end(&figure.data);
    return asif_figure_end(list, &figure, "sbc.vl.json", error);
}
