/* Functions that several sections of the page use. */
#include "render/embedded.h"
#include "render/words/shown_names.h"
#include "report/page/page.h"
#include "report/people/people_source.h"

bool asif_page_draws(void) {
    return asif_embedded("figures.js") != NULL;
}

const char *asif_page_title(const asif_page *page) {
    const char *title =
        page->people ? asif_yaml_text(page->people->root, "title") : page->source->fit[0].view.title;
    return asif_shown_title(title);
}

void asif_page_group(asif_page *page, const asif_source_fit *fit) {
    if (page->source->fits < 2)
        return;
    asif_text_add(&page->html, "<h3>");
    asif_html_label(&page->html, fit->name);
    asif_text_add(&page->html, "</h3>\n");
}
