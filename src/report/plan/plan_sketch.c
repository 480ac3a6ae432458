#include "report/plan/plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/bars.h"
#include "render/table.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

#define POINTS_AT_MOST 61
#define LINES_AT_MOST 12

static const char *block_of(double probability, bool unicode) {
    uint32_t level = (uint32_t)lround(8 * probability);
    return asif_bar(level == 0 && probability >= 0.01 ? 1 : level, unicode);
}

static void add_axis(asif_text *text, const asif_plan_report *report, uint32_t label_width, uint32_t points) {
    char label[ASIF_LABEL_SIZE], name[ASIF_CELL_SIZE], cut[ASIF_CELL_SIZE];
    asif_label_cut(cut, asif_study_shown(report->study, ASIF_LABEL_HIDDEN, 1, label), points > 30 ? 20 : 8,
                   report->unicode);
    asif_format(name, sizeof name, "P(%s)", cut);
    uint32_t wide = asif_display_width(name), before = (points - wide) / 2;
    asif_text_addf(text, "%*s", (int)label_width + 4, "");
    for (uint32_t j = 0; j < points; j++)
        asif_text_add(text, j % ((points - 1) / 2) ? "-" : "+");
    asif_text_addf(text, "\n%*s0%*s%s%*s1\n", (int)label_width + 4, "", (int)before - 1, "", name,
                   (int)(points - before - wide) - 1, "");
}

/* Mark the actions that are likeliest somewhere, at most LINES_AT_MOST; returns their number. */
static uint32_t choose_actions(bool *shown, const asif_points *points, uint32_t actions) {
    uint32_t lines = 0;
    while (lines < LINES_AT_MOST && lines < actions) {
        uint32_t best = ASIF_ANY;
        double most = -1;
        for (uint32_t u = 0; u < actions; u++)
            for (uint64_t i = 0; i < points->count && !shown[u]; i++)
                if (points->policy[i * actions + u] > most) {
                    most = points->policy[i * actions + u];
                    best = u;
                }
        if (best == ASIF_ANY)
            break;
        shown[best] = true;
        lines++;
    }
    return lines;
}

static void add_left_out(asif_text *text, uint32_t actions, uint32_t width) {
    char words[ASIF_CELL_SIZE + 32];
    asif_format(words, sizeof words, "(%u actions that are less likely everywhere are left out)",
                (unsigned)actions);
    asif_add_wrapped(text, "", 2, words, width);
}

asif_status asif_plan_sketch(asif_text *text, const asif_plan_report *report, uint32_t place,
                             asif_error *error) {
    uint32_t actions = report->spec->actions, label_width = 0, room = report->width / 3;
    char label[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    for (uint32_t u = 0; u < actions; u++) {
        asif_label_cut(cell, asif_study_shown(report->study, ASIF_LABEL_ACTION, u, label), room,
                       report->unicode);
        uint32_t wide = asif_display_width(cell);
        label_width = wide > label_width ? wide : label_width;
    }
    uint32_t count = POINTS_AT_MOST;
    while (count > 21 && label_width + 4 + count > report->width)
        count -= 10;

    uint32_t lead = report->lead, width = lead + 2;
    double *state = ASIF_ARRAY(report->context, (uint64_t)width * count, double);
    bool *shown = ASIF_ARRAY(report->context, actions, bool);
    asif_points points = {0};
    asif_status status = state && shown ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t j = 0; j < count && status == ASIF_OK; j++) {
        double *at = state + (uint64_t)width * j;
        if (lead)
            at[0] = place;
        at[lead + 1] = (double)j / (count - 1);
        at[lead] = (double)(count - 1 - j) / (count - 1);
    }
    if (status == ASIF_OK)
        status = asif_points_look(&points, report, count, state, error);
    if (status == ASIF_OK) {
        uint32_t lines = choose_actions(shown, &points, actions);
        asif_add_title(text,
                       report->unicode
                           ? "How likely each action is over all beliefs (a full block: certain)"
                           : "How likely each action is over all beliefs (. rarely, = half, # certain)",
                       report->width);
        for (uint32_t u = 0; u < actions; u++) {
            if (!shown[u])
                continue;
            asif_label_cut(cell, asif_study_shown(report->study, ASIF_LABEL_ACTION, u, label), room,
                           report->unicode);
            asif_text_addf(text, "  %*s%s  ", (int)(label_width - asif_display_width(cell)), "", cell);
            for (uint32_t j = 0; j < count; j++)
                asif_text_add(text, block_of(points.policy[(uint64_t)j * actions + u], report->unicode));
            asif_text_trim(text);
            asif_text_add(text, "\n");
        }
        add_axis(text, report, label_width, count);
        if (lines < actions)
            add_left_out(text, actions - lines, report->width);
    }
    asif_points_free(&points, report->context);
    asif_free(report->context, shown);
    asif_free(report->context, state);
    return status;
}
