/* The report on a forecast: how long a fit takes, and which resolution suits. */
#include "asif/report.h"

#include "base/data/json.h"
#include "render/report_options.h"
#include "render/table.h"

#include <inttypes.h>
#include <math.h>

#define HEADING 14
#define DURATION 32
#define LITTLE 0.95 /* seconds: less is `less than 1 s` */
#define MINUTE 60.0
#define HOUR 3600.0

/* Write a duration as a person would say it, with two digits. */
static const char *duration(char *out, double seconds) {
    if (seconds < LITTLE)
        asif_format(out, DURATION, "less than 1 s");
    else if (seconds < 9.5)
        asif_format(out, DURATION, "%.0f s", seconds);
    else if (seconds < 100)
        asif_format(out, DURATION, "%.2g s", round(seconds));
    else if (seconds < 100 * MINUTE)
        asif_format(out, DURATION, "%.*f min", seconds < 10 * MINUTE, seconds / MINUTE);
    else
        asif_format(out, DURATION, "%.*f h", seconds < 10 * HOUR, seconds / HOUR);
    return out;
}

/* Add a line of words, wrapped, and begin new ones. */
static void add_line(asif_text *text, const char *heading, asif_text *words, uint32_t width) {
    asif_add_wrapped(text, heading, HEADING, words->data ? words->data : "", width);
    text->failed |= words->failed;
    asif_text_free(words);
    *words = (asif_text){.context = text->context};
}

static void add_time(asif_text *text, const asif_context *context, const asif_forecast *f, uint32_t threads,
                     uint32_t width) {
    asif_text words = {.context = context};
    char a[DURATION], b[DURATION], c[DURATION];
    asif_text_addf(&words, "%s%s of processor time on this machine", f->seconds < LITTLE ? "" : "about ",
                   duration(a, f->seconds));
    if (threads > 1)
        asif_text_addf(&words, ", shared by %" PRIu32 " threads", threads);
    add_line(text, "  time", &words, width);
    asif_text_addf(&words, "%s to find the maximum, %s for the draws, %s for checks and other answers",
                   duration(a, f->search_sec), duration(b, f->draws_sec), duration(c, f->answers_sec));
    add_line(text, "  of which", &words, width);
    if (isnan(f->nuts_sec))
        return;
    asif_text_addf(&words, "%s%s more, if the method `ridge` cannot be trusted and NUTS has to draw",
                   f->nuts_sec < LITTLE ? "" : "about ", duration(a, f->nuts_sec));
    add_line(text, "  at worst", &words, width);
}

/* Say which resolution suits. */
static void add_resolution(asif_text *text, const asif_context *context, const asif_forecast *f,
                           uint32_t width) {
    asif_text words = {.context = context};
    char here[ASIF_CELL_SIZE], there[ASIF_CELL_SIZE];
    asif_count_text(here, f->beliefs);
    asif_count_text(there, f->enough_beliefs);
    if (f->automatic)
        asif_text_addf(&words, "the fit chooses %" PRIu32 " (%s beliefs)", f->enough, there);
    else if (2 * f->enough <= f->resolution)
        asif_text_addf(&words,
                       "%" PRIu32 " (%s beliefs) is finer than these logs need: %" PRIu32
                       " (%s beliefs) is enough, and faster",
                       f->resolution, here, f->enough, there);
    else if (f->enough > f->resolution)
        asif_text_addf(&words,
                       "%" PRIu32 " (%s beliefs) is too coarse for these logs: use %" PRIu32 " (%s beliefs)",
                       f->resolution, here, f->enough, there);
    else
        asif_text_addf(&words, "%" PRIu32 " (%s beliefs) suits these logs", f->resolution, here);
    if (!f->automatic && (f->enough > f->resolution || 2 * f->enough <= f->resolution))
        asif_text_add(&words, ". With `solver: {resolution: auto}` the fit chooses it.");
    add_line(text, "  resolution", &words, width);
}

static void add_json(asif_text *text, const asif_forecast *f, uint32_t threads) {
    asif_json json;
    asif_json_init(&json, text);
    asif_json_object(&json, NULL);
    asif_json_known(&json, "seconds", f->seconds);
    asif_json_known(&json, "seconds_search", f->search_sec);
    asif_json_known(&json, "seconds_draws", f->draws_sec);
    asif_json_known(&json, "seconds_answers", f->answers_sec);
    asif_json_known(&json, "seconds_more_by_nuts", f->nuts_sec);
    asif_json_known(&json, "seconds_of_the_trial", f->trial_sec);
    asif_json_count(&json, "threads", threads);
    asif_json_string(&json, "instead", f->instead ? f->instead : "");
    asif_json_count(&json, "resolution", f->resolution);
    asif_json_count(&json, "beliefs", f->beliefs);
    asif_json_count(&json, "enough_resolution", f->enough);
    asif_json_count(&json, "enough_beliefs", f->enough_beliefs);
    asif_json_known(&json, "enough_error", f->enough_error);
    asif_json_end(&json);
}

asif_status asif_report_forecast(char **out, const asif_context *context, const asif_forecast *forecast,
                                 uint32_t threads, const asif_report_options *options, asif_error *error) {
    asif_report_options filled;
    *out = NULL;
    asif_status status = asif_report_fill(&filled, options, error);
    if (status != ASIF_OK)
        return status;
    asif_text text = {.context = context};
    if (filled.json) {
        add_json(&text, forecast, threads);
    } else {
        asif_text_add(&text, "\nHOW LONG A FIT TAKES, by a forecast\n");
        if (forecast->instead)
            asif_add_wrapped(&text, "  time", HEADING, forecast->instead, filled.width);
        else
            add_time(&text, context, forecast, threads, filled.width);
        if (forecast->enough)
            add_resolution(&text, context, forecast, filled.width);
    }
    return asif_text_finish(out, &text, error);
}
