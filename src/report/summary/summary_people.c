/* The folder of `asif people` in words: what people do, how they differ, the population, and whom to look at.
 * Nobody is named unless that is asked for. */
#include "asif/report.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"
#include "render/table.h"
#include "report/people/people_lines.h"
#include "report/people/people_source.h"

#include <math.h>
#include <string.h>

enum { NAMED = 20 };
#define FAR 3.5         /* robust standard deviations from the median: this person is unlike the others */
#define ROBUST 1.482602 /* standard deviations in a median absolute deviation of a normal distribution */

/* Where most people are in one number. */
typedef struct {
    double median, deviation; /* of the posterior means; robust */
} centre;

typedef struct {
    const asif_people_source *source;
    centre centre[ASIF_PEOPLE_NUMBERS];
    double *sorted; /* [people]: room */
} summary;

/* ---- what people do ---- */

/* The quantile of sorted numbers, between neighbours. */
static double quantile(const double *sorted, uint64_t n, double p) {
    double at = p * (double)(n - 1);
    uint64_t i = (uint64_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static uint64_t sort_known(double *to, const double *x, uint64_t n) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            to[count++] = x[i];
    asif_sort(to, count);
    return count;
}

static void add_action(asif_text *t, const summary *s, uint32_t action, double decisions) {
    const asif_people_source *from = s->source;
    uint32_t actions = from->actions->count;
    char name[ASIF_CELL_SIZE], share[ASIF_CELL_SIZE], cell[ASIF_CELL_SIZE];
    static const double at[] = {.05, .5, .95};
    uint64_t known = 0;
    for (uint64_t i = 0; i < from->people; i++)
        if (from->decisions[i] > 0 && !isnan(from->taken[i * actions + action]))
            s->sorted[known++] = from->taken[i * actions + action] / from->decisions[i];
    known = sort_known(s->sorted, s->sorted, known);
    asif_text_addf(t, "  %-24s %10s", asif_label_cut(name, from->actions->key[action]->text, 24, true),
                   asif_percent_text(share, from->total[action] / decisions));
    for (int q = 0; known && q < 3; q++)
        asif_text_addf(t, " %10s", asif_percent_text(cell, quantile(s->sorted, known, at[q])));
    asif_text_add(t, "\n");
}

static void add_actions(asif_text *t, const summary *s) {
    const asif_people_source *from = s->source;
    double decisions = 0;
    if (!from->actions)
        return;
    for (uint32_t u = 0; u < from->actions->count; u++)
        decisions += from->total[u];
    if (!(decisions > 0))
        return;
    asif_text_addf(t, "\n%-26s %10s", "WHAT THEY DO", "all");
    if (from->people)
        asif_text_addf(t, " %10s %10s %10s", "5 %", "median", "95 %");
    asif_text_add(t, "\n");
    for (uint32_t u = 0; u < from->actions->count; u++)
        add_action(t, s, u, decisions);
    char cell[ASIF_CELL_SIZE];
    asif_people_say(t, "These are shares of %s decisions%s.", asif_read_count_text(cell, decisions),
                    from->people ? ", and quantiles of people's own shares" : "");
}

/* ---- how people differ ---- */

static void add_number(asif_text *t, summary *s, uint32_t k) {
    const asif_people_number *n = &s->source->number[k];
    double *sorted = s->sorted;
    char share[ASIF_CELL_SIZE];
    uint64_t count = sort_known(sorted, n->mean, s->source->people);
    if (!count)
        return;
    s->centre[k].median = quantile(sorted, count, .5);
    asif_text_addf(t, "  %-24s %10.3g %10.3g %10.3g %12.3g %10s\n", n->name, quantile(sorted, count, .05),
                   s->centre[k].median, quantile(sorted, count, .95), n->within,
                   asif_percent_text(share, asif_people_share(n, n->within)));
    for (uint64_t i = 0; i < count; i++)
        sorted[i] = fabs(sorted[i] - s->centre[k].median);
    asif_sort(sorted, count);
    s->centre[k].deviation = ROBUST * quantile(sorted, count, .5);
}

/* Numbers whose sign has a meaning of its own. */
static void add_sign(asif_text *t, const asif_people_source *s, const asif_people_number *n) {
    uint64_t above = 0, below = 0;
    if (strcmp(n->name, "optimism") != 0 && strcmp(n->name, "eta") != 0)
        return;
    for (uint64_t i = 0; i < s->people; i++) {
        above += n->low[i] > 0;
        below += n->high[i] < 0;
    }
    char more[ASIF_CELL_SIZE], less[ASIF_CELL_SIZE], open[ASIF_CELL_SIZE];
    asif_people_say(
        t,
        "By their 90 %% intervals, %s is above 0 for %s people and below 0 for %s. For %s the logs "
        "do not determine its sign.",
        n->name, asif_count_text(more, above), asif_count_text(less, below),
        asif_count_text(open, s->people - above - below));
}

static void add_differences(asif_text *t, summary *s) {
    const asif_people_source *from = s->source;
    asif_text_addf(t, "\n%-26s %10s %10s %10s %12s %10s\n", "HOW THEY DIFFER", "5 %", "median", "95 %",
                   "uncertain by", "shrinkage");
    for (uint32_t k = 0; k < from->numbers; k++)
        add_number(t, s, k);
    asif_people_say(t,
                    "These are quantiles of people's posterior means, how uncertain one of them is, and how "
                    "much of a person's estimate is the population's (shrinkage).");
    for (uint32_t k = 0; k < from->numbers; k++)
        add_sign(t, from, &from->number[k]);
    for (uint32_t k = 0; k < from->numbers; k++)
        if (from->number[k].within > from->number[k].between)
            asif_people_say(t,
                            "The logs say little about single people's %s: it is more uncertain than it "
                            "differs. What is said about them is mostly the population.",
                            from->number[k].name);
}

/* ---- the population ---- */

static void add_population(asif_text *t, const asif_people_source *s) {
    const asif_yaml *all = s->population;
    asif_people_heading(t, "THE POPULATION, AS IF");
    for (uint32_t i = 0; all && i < all->count; i++)
        asif_people_row(t, all->key[i]->text, asif_yaml_value(all->item[i], "mean"),
                        asif_yaml_value(all->item[i], "sd"), asif_yaml_value(all->item[i], "q05"),
                        asif_yaml_value(all->item[i], "q95"));
}

/* How many kinds of people there are, where that was asked. */
static void add_kinds(asif_text *t, const asif_people_source *s) {
    const asif_yaml *compared = asif_yaml_part(s->root, "kinds_compared");
    double kinds = asif_yaml_value(s->root, "kinds");
    if (!compared || !(kinds >= 1))
        return;
    asif_text_addf(t, "%.0f %s these people best (least BIC:", kinds,
                   kinds > 1 ? "kinds describe" : "kind describes");
    for (uint32_t i = 0; i < compared->count; i++)
        asif_text_addf(t, "%s %.0f with %.0f", i ? "," : "", asif_yaml_value(compared->item[i], "bic"),
                       asif_yaml_value(compared->item[i], "kinds"));
    asif_text_add(t, ").\n");
}

/* ---- whom to look at ---- */

/* A number in which a person is unlike the others; NULL: none. */
static const asif_people_number *is_far(const summary *s, uint64_t person) {
    for (uint32_t k = 0; k < s->source->numbers; k++) {
        const asif_people_number *n = &s->source->number[k];
        const centre *c = &s->centre[k];
        if (c->deviation > 0 && fabs(n->mean[person] - c->median) > FAR * c->deviation)
            return n;
    }
    return NULL;
}

static void add_names(asif_text *t, const summary *s, uint64_t far, uint64_t bad) {
    const asif_people_source *from = s->source;
    uint64_t listed = 0;
    for (uint64_t i = 0; i < from->people && listed < NAMED; i++) {
        const asif_people_number *n = is_far(s, i);
        if (!n && from->served[i])
            continue;
        listed++;
        if (n)
            asif_text_addf(t, "  %s: %s %.3g\n", asif_show(from->name[i]).text, n->name, n->mean[i]);
        else
            asif_text_addf(t, "  %s: not accurate\n", asif_show(from->name[i]).text);
    }
    if (far + bad > listed)
        asif_text_add(t, "  and others, who are in units.csv\n");
}

static void add_who(asif_text *t, const summary *s) {
    const asif_people_source *from = s->source;
    uint64_t far = 0, bad = 0;
    char some[ASIF_CELL_SIZE], all[ASIF_CELL_SIZE];
    for (uint64_t i = 0; i < from->people; i++) {
        far += is_far(s, i) != NULL;
        bad += !from->served[i];
    }
    asif_text_add(t, "\nWHOM TO LOOK AT\n");
    asif_people_say(t,
                    "%s of %s people %s unlike the others: in some number more than %.1f standard deviations "
                    "(robust) from the median.",
                    asif_count_text(some, far), asif_count_text(all, from->people), far == 1 ? "is" : "are",
                    FAR);
    if (bad)
        asif_people_say(t, "%s posteriors are not accurate: do not read them.", asif_count_text(some, bad));
    if (from->identify)
        add_names(t, s, far, bad);
    else if (far + bad)
        asif_text_add(t, "--identify names them.\n");
}

/* ---- all of it ---- */

static asif_status add_all(asif_text *t, const asif_people_source *from, asif_error *error) {
    summary s = {.source = from, .sorted = ASIF_ARRAY(from->context, from->people + 1, double)};
    const char *refused = asif_yaml_text(from->root, "refused");
    double sampled = asif_yaml_value(from->root, "units_sampled"),
           units = asif_yaml_value(from->root, "units");
    if (!s.sorted)
        return asif_fail_memory(error);
    char cell[ASIF_CELL_SIZE];
    asif_people_size(t, units, asif_yaml_value(from->root, "different_units"));
    if (sampled < units)
        asif_people_say(t, "The population is fitted to a random sample of %s of them.",
                        asif_read_count_text(cell, sampled));
    add_actions(t, &s);
    if (from->usable) {
        add_differences(t, &s);
        add_population(t, from);
        add_kinds(t, from);
        add_who(t, &s);
    } else {
        asif_text_add(t, "\n");
        asif_people_say(t, "%s",
                        refused ? refused
                                : "The population could not be fitted: the table of points is too coarse.");
        asif_people_say(t, "A larger table (--points) of `asif people` may help.");
    }
    asif_free(from->context, s.sorted);
    return ASIF_OK;
}

asif_status asif_report_people(char **out, bool *trusted, const asif_context *context, const char *json,
                               uint64_t json_length, const char *people, uint64_t length, bool identify,
                               asif_error *error) {
    asif_people_source source;
    asif_text text = {.context = context};
    *out = NULL;
    asif_status status = asif_people_source_read(&source, context, json, json_length, people, length,
                                                 ASIF_MIN_CELL, identify, error);
    if (status == ASIF_OK)
        status = add_all(&text, &source, error);
    if (trusted)
        *trusted = source.usable;
    asif_people_source_free(&source);
    if (status == ASIF_OK)
        return asif_text_finish(out, &text, error);
    asif_text_free(&text);
    return status;
}
