/* The section on what they do: the most frequent histories, the actions taken there, and those of the fitted
 * agent. */
#include "report/summary/summary.h"

#include "render/words/sentences.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define RARE_P 0.01 /* limit for the p-value of asif_fit_rare */

#define COLUMNS 4 /* columns of numbers, before the words */

static char *amount(char *buffer, double count) {
    return count == floor(count) && count >= 0 && count < 1e15 ? asif_count_text(buffer, (uint64_t)count)
                                                               : asif_short_number(buffer, count);
}

/* Write a range of shares: "94.8-96.8", ">99.9". */
static char *share_range(char *buffer, double low, double high) {
    buffer[0] = 0;
    if (isnan(low) || isnan(high))
        return buffer;
    if (low > 0.9995 || high < 0.0005)
        asif_format(buffer, ASIF_CELL_SIZE, low > 0.9995 ? ">99.9" : "<0.1");
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.1f-%.1f", 100 * low, 100 * high);
    return buffer;
}

typedef struct {
    char cell[COLUMNS][ASIF_CELL_SIZE];
} row;

static void fill_row(row *out, const asif_yaml *entry, const asif_yaml *taken) {
    double predicted = asif_yaml_value(taken, "predicted");
    amount(out->cell[0], asif_yaml_value(entry, "decisions"));
    asif_percent_text(out->cell[1], asif_yaml_value(taken, "observed"));
    out->cell[2][0] = 0;
    if (!isnan(predicted))
        asif_percent_text(out->cell[2], predicted);
    share_range(out->cell[3], asif_yaml_value(taken, "q05"), asif_yaml_value(taken, "q95"));
}

static void widen(uint32_t width[COLUMNS], const row *r) {
    for (uint32_t k = 0; k < COLUMNS; k++) {
        uint32_t wide = (uint32_t)strlen(r->cell[k]);
        width[k] = wide > width[k] ? wide : width[k];
    }
}

static void add_row(asif_text *text, const asif_summary *summary, const row *r, const uint32_t width[COLUMNS],
                    const char *words) {
    char heading[(COLUMNS + 1) * ASIF_CELL_SIZE];
    int used = 0;
    for (uint32_t k = 0; k < COLUMNS; k++)
        if (width[k])
            used += asif_format(heading + used, sizeof heading - (size_t)used, "  %*s", (int)width[k],
                                r->cell[k]);
    asif_format(heading + used, sizeof heading - (size_t)used, "  ");
    if (!*words) {
        heading[used] = 0;
        asif_text_addf(text, "%s\n", heading);
        return;
    }
    asif_add_wrapped(text, heading, (uint32_t)strlen(heading), words, summary->width);
}

/* Add the decisions that the fitted agent would hardly ever take, if they are more than chance allows. */
static void add_rare(asif_text *text, const asif_summary *summary) {
    const asif_yaml *rare = asif_yaml_part(summary->root, "hardly_possible"),
                    *least = asif_yaml_part(rare, "least");
    double count = asif_yaml_value(rare, "decisions"), p = asif_yaml_value(rare, "p");
    char cell[ASIF_CELL_SIZE], below[ASIF_CELL_SIZE], chance[ASIF_CELL_SIZE];
    asif_text words = {.context = summary->context};
    if (!(count > 0 && p < RARE_P) || !least)
        return;
    amount(cell, count);
    asif_text_addf(
        &words,
        "Hardly possible: the fitted agent takes %s of these decisions with probability below %s. The least "
        "likely is ",
        cell, asif_short_number(below, asif_yaml_value(rare, "below")));
    asif_summary_history(&words, summary, least, asif_yaml_text(least, "action"));
    asif_text_addf(&words, " (probability %s)",
                   asif_short_number(chance, asif_yaml_value(least, "probability")));
    asif_clean(words.data);
    asif_sentence_finish(&words);
    asif_add_wrapped(text, "  ", 2, words.data ? words.data : "", summary->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

void asif_summary_did(asif_text *text, const asif_summary *summary) {
    const asif_yaml *list = asif_yaml_list(summary->root, "histories");
    static const row titles = {{"decisions", "observed", "fitted", "interval"}};
    uint32_t width[COLUMNS] = {0};
    row r;
    const char *action;
    uint32_t place;
    if (!list || list->count == 0)
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        const asif_yaml *taken = asif_summary_most(list->item[i], "observed", &place, &action);
        fill_row(&r, list->item[i], taken);
        widen(width, &r);
    }
    for (uint32_t k = 0; k < COLUMNS; k++)
        if (width[k] && width[k] < strlen(titles.cell[k]))
            width[k] = (uint32_t)strlen(titles.cell[k]);
    asif_text_addf(text, "\nWHAT THEY DO%s\n", width[COLUMNS - 1] ? " (intervals are 90 %)" : "");
    add_row(text, summary, &titles, width, "");
    for (uint32_t i = 0; i < list->count; i++) {
        asif_text words = {.context = summary->context};
        const asif_yaml *taken = asif_summary_most(list->item[i], "observed", &place, &action);
        fill_row(&r, list->item[i], taken);
        asif_summary_history(&words, summary, list->item[i], action);
        asif_clean(words.data);
        add_row(text, summary, &r, width, words.data ? words.data : "");
        text->failed |= words.failed;
        asif_text_free(&words);
    }
    add_rare(text, summary);
}
