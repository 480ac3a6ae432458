/* What a fit says about dynamics that were learnt from the same logs. */
#include "report/summary/summary.h"

#include "render/words/sentences.h"

#include <math.h>

/* Add which part of the variance of each number comes from the dynamics. */
static void add_parts(asif_text *points, const asif_summary *summary, const asif_yaml *numbers) {
    asif_text words = {.context = summary->context};
    bool begun = false;
    asif_text_add(&words, "Of the variance behind each interval, the uncertainty of the dynamics is ");
    for (uint32_t i = 0; i < summary->numbers; i++) {
        const asif_summary_number *n = &summary->number[i];
        double part = asif_yaml_value(asif_yaml_part(numbers, n->name), "part");
        if (isnan(part))
            continue;
        asif_text_addf(&words, "%s%.0f %% for ", begun ? ", " : "", 100 * part);
        asif_summary_phrase(&words, n);
        begun = true;
    }
    asif_sentence_take(points, &words);
}

static void add_drawn(asif_text *points, const asif_summary *summary, const asif_yaml *world, double worlds) {
    double chains = asif_yaml_value(world, "by_chains"), along = asif_yaml_value(world, "along_ridge");
    asif_text words = {.context = summary->context};
    asif_text_addf(
        &words,
        "The dynamics were learnt from the observations of these logs. The intervals contain what is "
        "uncertain about them: the agent was fitted in %.0f worlds drawn from their posterior, and "
        "all of these count the same (--world cut)",
        worlds);
    if (chains > 0 && along > 0)
        asif_text_addf(&words,
                       ". In %.0f of them chains were drawn, because the method ridge could not be trusted",
                       chains);
    asif_sentence_take(points, &words);
    add_parts(points, summary, asif_yaml_part(world, "parameters"));
    asif_sentence_add(points,
                      "What they do, outcomes, checks and bounds take the estimated dynamics as known.");
}

void asif_summary_world(asif_text *points, const asif_summary *summary) {
    const asif_yaml *world = asif_yaml_part(summary->root, "world");
    double worlds = asif_yaml_value(world, "worlds");
    if (!asif_yaml_text(world, "mode"))
        return;
    if (asif_yaml_flag(world, "drawn"))
        asif_sentence_add(
            points,
            "The dynamics were learnt from these logs together with the agent (--world joint): the "
            "intervals contain what is uncertain about them, and decisions count as evidence about "
            "them, too. If the agent is wrong, so may the dynamics be. What they do, outcomes, checks "
            "and bounds take the dynamics that were learnt from the observations alone as known.");
    else if (worlds > 0)
        add_drawn(points, summary, world, worlds);
    else
        asif_sentence_add(points,
                          "The dynamics were learnt from the observations of these logs, and then taken as "
                          "known: the intervals leave out what is uncertain about them, and may be much too "
                          "narrow.");
}
