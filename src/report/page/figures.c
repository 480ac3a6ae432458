/* The figures of a section. A script draws each from its JSON; each has an alternative text, a caption and
 * its table. */
#include "report/page/page.h"

#include <string.h>

static void add_table(asif_text *html, const asif_figure_item *item) {
    const char *heads[64], *cell = item->cells;
    asif_html_table table;
    if (item->columns == 0 || item->columns > sizeof heads / sizeof *heads)
        return;
    for (uint32_t i = 0; i < item->columns; i++, cell += strlen(cell) + 1)
        heads[i] = cell;
    asif_text_add(html, "<details><summary>The numbers behind it</summary>\n");
    asif_html_table_begin(&table, html, item->title, item->columns, heads, ~(uint64_t)1);
    for (uint64_t i = 0; i < (uint64_t)item->rows * item->columns; i++, cell += strlen(cell) + 1)
        asif_html_cell(&table, cell);
    asif_html_table_end(&table);
    asif_text_add(html, "</details>\n");
}

/* `read`: whether the figure before has the same caption. */
static void add_figure(asif_text *html, const asif_figure_item *item, bool read) {
    char id[96];
    asif_format(id, sizeof id, "data-%s", item->name);
    asif_text_addf(html, "<figure id=\"figure-%s\" class=\"figure\">\n", item->name);
    asif_html_element(html, "h3", item->title);
    asif_text_addf(html, "<div class=\"plot\" data-spec=\"%s\" role=\"img\" aria-label=\"", id);
    asif_html_text(html, item->alt);
    asif_text_add(html, "\">");
    asif_html_element(html, "p", item->alt);
    asif_text_add(html, "</div>\n<figcaption>");
    asif_html_element(html, "p", read ? "Read it like the figure above." : item->caption);
    add_table(html, item);
    asif_text_add(html, "</figcaption>\n</figure>\n");
    asif_html_json(html, id, item->json);
}

/* Say why figures are only text, where they are, once: before the first. */
static void add_drawing(asif_text *html) {
    if (!asif_page_draws())
        asif_html_paragraph(html, "This build has no chart library, so figures are shown as text "
                                  "(tools/get-report-assets fetches the library).");
    else
        asif_text_add(html,
                      "<noscript><p>Scripts are turned off, so figures are shown as text.</p></noscript>\n");
}

void asif_page_figures(asif_page *page, const char *section) {
    const char *before = NULL;
    for (uint32_t i = 0; i < asif_figures_count(page->figures); i++) {
        const asif_figure_item *item = &page->figures->item[i];
        if (strcmp(item->section, section) != 0)
            continue;
        if (i == 0)
            add_drawing(&page->html);
        add_figure(&page->html, item, before && strcmp(before, item->caption) == 0);
        before = item->caption;
    }
}
