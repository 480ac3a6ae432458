/* The section of figures. A script draws each from its JSON; each has an alternative text, a caption and its
 * table. */
#include "report/page/page.h"

#include "questions/held_out/held_out_figures.h"

#include <string.h>

#define CONTENTS 4 /* number of figures from which the section begins with a list of them */

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

static void add_figure(asif_text *html, const asif_figure_item *item) {
    char id[96];
    asif_format(id, sizeof id, "data-%s", item->name);
    asif_text_addf(html, "<figure id=\"figure-%s\" class=\"figure\">\n", item->name);
    asif_html_element(html, "h3", item->title);
    asif_text_addf(html, "<div class=\"plot\" data-spec=\"%s\" role=\"img\" aria-label=\"", id);
    asif_html_text(html, item->alt);
    asif_text_add(html, "\">");
    asif_html_element(html, "p", item->alt);
    asif_text_add(html, "</div>\n<figcaption>");
    asif_html_element(html, "p", item->caption);
    add_table(html, item);
    asif_text_add(html, "</figcaption>\n</figure>\n");
    asif_html_json(html, id, item->json);
}

static void add_contents(asif_text *html, const asif_figures *figures) {
    asif_text_add(html, "<ul class=\"list\">\n");
    for (uint32_t i = 0; i < figures->count; i++) {
        asif_text_addf(html, "<li><a href=\"#figure-%s\">", figures->item[i].name);
        asif_html_text(html, figures->item[i].title);
        asif_text_add(html, "</a></li>\n");
    }
    asif_text_add(html, "</ul>\n");
}

asif_status asif_page_figures(asif_page *page, asif_error *error) {
    asif_text *html = &page->html;
    (void)error;
    if (asif_held_withheld(page->source))
        asif_html_paragraph(html,
                            "Calibration, precision and recall of held-out decisions are not drawn. Together "
                            "with the counts on this page, such shares can reveal counts below %u. With "
                            "--min-cell 0, all counts are shown, and these figures are drawn.",
                            page->source->request->min_cell);
    if (!page->figures || page->figures->count == 0) {
        asif_html_paragraph(html, "There is nothing to draw.");
        return ASIF_OK;
    }
    if (!asif_page_draws())
        asif_html_paragraph(html, "This build has no chart library, so figures are shown as text "
                                  "(tools/get-report-assets fetches the library).");
    else
        asif_text_add(html,
                      "<noscript><p>Scripts are turned off, so figures are shown as text.</p></noscript>\n");
    if (page->figures->count >= CONTENTS)
        add_contents(html, page->figures);
    for (uint32_t i = 0; i < page->figures->count; i++)
        add_figure(html, &page->figures->item[i]);
    return ASIF_OK;
}
