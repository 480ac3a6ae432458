/* The head of the page: title, subject, and a warning if the fit cannot be trusted. */
#include "report/page/page.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* Add a count: "1,000 episodes", "fewer than 11 episodes". */
static void add_count(asif_text *words, const asif_source_fit *fit, asif_cell_total which, const char *one,
                      const char *many) {
    asif_cell cell = asif_disclosure_total(fit->cells, which);
    char text[ASIF_CELL_SIZE];
    asif_text_addf(words, "%s %s", asif_cell_text(text, fit->cells, cell),
                   cell.low == 1 && cell.high == 1 ? one : many);
}

/* Add how much was logged: "1,000 episodes with 3,500 decisions". */
static void add_size(asif_text *words, const asif_source_fit *fit, const char *between) {
    if (asif_summary_counted(&fit->fit)) {
        add_count(words, fit, ASIF_CELL_EPISODES, "row of counts", "rows of counts");
        return;
    }
    add_count(words, fit, ASIF_CELL_EPISODES, "episode", "episodes");
    asif_text_add(words, between);
    add_count(words, fit, ASIF_CELL_DECISIONS, "decision", "decisions");
}

/* Add a banner that says why fits cannot be trusted; nothing if all can. */
static void add_banner(asif_page *page) {
    bool trusted = true;
    for (uint32_t g = 0; g < page->source->fits; g++)
        trusted &= page->source->fit[g].fit.trusted;
    if (trusted)
        return;
    asif_text_add(&page->html, "<div class=\"banner\" role=\"note\">\n"
                               "<p><strong>Not to be trusted.</strong> What follows may be wrong:</p>\n");
    for (uint32_t g = 0; g < page->source->fits; g++) {
        const asif_source_fit *fit = &page->source->fit[g];
        asif_text points = {.context = page->context};
        if (fit->fit.trusted)
            continue;
        if (page->source->fits > 1)
            asif_html_paragraph(&page->html, "%s:", fit->name);
        asif_summary_advice(&points, &fit->fit);
        asif_html_points(&page->html, &points);
    }
    asif_text_add(&page->html, "</div>\n");
}

static void add_what(asif_page *page) {
    const asif_source *source = page->source;
    asif_text words = {.context = page->context};
    asif_text_add(&words, "This page is about ");
    if (source->fits == 1)
        add_size(&words, &source->fit[0], " with ");
    else
        asif_text_addf(&words, "the decisions of %u groups", source->fits);
    asif_text_add(&words,
                  ". It says what people do, and what they would have to want and believe to act as they do. "
                  "That describes how they act, not how they think");
    asif_html_sentence(&page->html, "p", &words);
}

static void add_groups(asif_page *page) {
    const asif_source *source = page->source;
    const char *column = source->fit[0].view.group_column;
    if (source->fits < 2)
        return;
    asif_text_add(&page->html, "<p>Groups by ");
    asif_html_label(&page->html, column ? column : "group");
    for (uint32_t g = 0; g < source->fits; g++) {
        asif_text words = {.context = page->context};
        asif_text_add(&page->html, g ? "; " : ": ");
        asif_html_label(&page->html, source->fit[g].name);
        asif_text_add(&words, " (");
        add_size(&words, &source->fit[g], ", ");
        asif_text_add(&words, ")");
        asif_html_text(&page->html, words.data);
        page->html.failed |= words.failed;
        asif_text_free(&words);
    }
    asif_text_add(&page->html, ".</p>\n");
}

/* Explain the ranges where they first occur; nothing if all counts are shown. */
static void add_ranges(asif_page *page) {
    uint32_t limit = page->source->request->min_cell;
    if (limit > 0)
        asif_html_paragraph(&page->html,
                            "To protect people, counts below %u are withheld, and many other counts and "
                            "shares are shown as ranges (\"over 75 %%\"). These are not intervals of "
                            "uncertainty.",
                            limit);
}

/* Add version and date: "asif 0.1.0, fitted on 2026-11-15". */
static void add_maker(asif_page *page) {
    const asif_source_fit *fit = &page->source->fit[0];
    const char *version = asif_yaml_text(fit->fit.root, "asif"),
               *started = asif_yaml_text(fit->made, "started");
    asif_text_add(&page->html, "<p class=\"made\">asif ");
    asif_html_text(&page->html, version ? version : asif_version());
    if (started && strlen(started) >= 10) {
        char day[11];
        memcpy(day, started, 10);
        day[10] = 0;
        asif_text_add(&page->html, ", fitted on ");
        asif_html_text(&page->html, day);
    }
    asif_text_add(&page->html, "</p>\n");
}

asif_status asif_page_header(asif_page *page, asif_error *error) {
    add_banner(page);
    asif_text_add(&page->html, "<h1>");
    asif_html_label(&page->html, asif_page_title(page));
    asif_text_add(&page->html, "</h1>\n");
    add_what(page);
    add_groups(page);
    add_ranges(page);
    ASIF_TRY(asif_page_headline(page, error));
    add_maker(page);
    return ASIF_OK;
}
