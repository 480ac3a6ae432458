/* The section on what the logs cannot tell. */
#include "base/error.h"
#include "report/page/page.h"
#include "report/summary/summary.h"

#include "questions/sensitivity/sensitivity_text.h"

#include <string.h>

/* Add the result of `asif sensitivity`, which varies more than the short sensitivity analysis of the fit. */
static void add_found(asif_page *page, const asif_sensitivity_view *s) {
    asif_text words = {.context = page->context}, others = words;
    if (s->worst->flips) {
        asif_text_add(&words, "When the assumptions were varied further: ");
        asif_sensitivity_steps(&words, s, s->worst->number);
        if (asif_sensitivity_others(&others, s, s->worst->number))
            asif_text_addf(&words, ". Other values of %s also reverse it", others.data ? others.data : "");
    } else {
        asif_text_add(
            &words, "No sign reverses when the assumptions are varied further. The largest change is with ");
        asif_sensitivity_largest(&words, s);
    }
    words.failed |= others.failed;
    asif_text_free(&others);
    asif_html_sentence(&page->html, "p", &words);
}

static asif_status add_further(asif_page *page, const asif_source_extra *extra, asif_error *error) {
    asif_arena arena = {.context = page->context};
    asif_sensitivity_view s;
    asif_status status =
        asif_fields_read(&s, &arena, &asif_sensitivity_fields, extra ? extra->root : NULL, error);
    if (status == ASIF_OK && s.worst && s.worst->number < s.numbers)
        add_found(page, &s);
    asif_arena_free(&arena);
    return status;
}

/* On a page with groups, add the answers whose group is not known. */
static asif_status add_untold(asif_page *page, asif_error *error) {
    for (uint32_t i = 0; page->source->fits > 1 && i < page->source->extras; i++) {
        const asif_source_extra *extra = &page->source->extra[i];
        if (strcmp(extra->kind, "sensitivity") != 0 || extra->fit != ASIF_ANY)
            continue;
        asif_html_paragraph(&page->html, "This is about one group, but the file does not say which:");
        ASIF_TRY(add_further(page, extra, error));
    }
    return ASIF_OK;
}

asif_status asif_page_cannot(asif_page *page, asif_error *error) {
    bool varied = asif_source_find(page->source, "sensitivity") != NULL;
    for (uint32_t g = 0; g < page->source->fits; g++) {
        asif_text points = {.context = page->context};
        asif_page_group(page, &page->source->fit[g]);
        varied |=
            asif_yaml_part(asif_yaml_part(page->source->fit[g].fit.root, "sensitivity"), "worst") != NULL;
        asif_summary_open(&points, &page->source->fit[g].fit, false);
        asif_html_points(&page->html, &points);
        ASIF_TRY(add_further(page, asif_source_find_of(page->source, "sensitivity", g), error));
    }
    ASIF_TRY(add_untold(page, error));
    if (varied)
        asif_html_paragraph(
            &page->html,
            "A nat measures how much worse an explanation is: 1 nat makes the logs 2.7 times less "
            "likely, 3 nats 20 times.");
    return ASIF_OK;
}
