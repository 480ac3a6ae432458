/* Writes the page: head, sections in the order in which they should be read, scripts. */
#include "report/page/page.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/embedded.h"
#include "report/people/people_page.h"

#include <string.h>

typedef struct {
    const char *id, *title;
    asif_page_section *write;
} part;

static const part sections[] = {
    {"did", "What they do", asif_page_did},
    {"why", "As if why", asif_page_why},
    {"cannot", "What the logs cannot tell", asif_page_cannot},
    {"trust", "Whether to believe it", asif_page_trust},
    {"problem", "The problem as it was understood", asif_page_problem},
    {"data", "The data as they were read", asif_page_data},
    {"made", "How it was made", asif_page_made},
    {"words", "What the words mean", asif_page_glossary},
    {0},
};

static const part sections_of_people[] = {
    {"did", "What people do", asif_people_did},
    {"differ", "How they differ", asif_people_differ},
    {"cannot", "What the logs cannot tell", asif_people_cannot},
    {"made", "How it was made", asif_people_made},
    {"words", "What the words mean", asif_people_glossary},
    {0},
};

static asif_status write_sections(asif_page *page, asif_error *error) {
    const part *const parts = page->people ? sections_of_people : sections;
    asif_text *html = &page->html;
    asif_text_add(html, "<a class=\"skip\" href=\"#did\">Skip to what they do</a>\n<header>\n");
    ASIF_TRY((page->people ? asif_people_header : asif_page_header)(page, error));
    asif_text_add(html, "</header>\n<nav aria-label=\"Sections\"><ol>\n");
    for (const part *p = parts; p->id; p++)
        asif_text_addf(html, "<li><a href=\"#%s\">%s</a></li>\n", p->id, p->title);
    asif_text_add(html, "</ol></nav>\n<main>\n");
    for (const part *p = parts; p->id; p++) {
        asif_text_addf(html,
                       "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
                       p->id, p->id, p->id, p->title);
        ASIF_TRY(p->write(page, error));
        asif_page_figures(page, p->id);
        asif_text_add(html, "</section>\n");
    }
    asif_text_add(html, "</main>\n");
    return ASIF_OK;
}

/* Add the scripts: Vega, if there is something to draw, and the one of the page, which draws with it. Their
 * digests are added to `policy`. */
static void write_scripts(asif_page *page, asif_text *policy) {
    const asif_embedded_file *vega = asif_embedded("figures.js"), *own = asif_embedded("page.js");
    if (vega && page->figures && page->figures->count > 0)
        asif_html_script(&page->html, policy, vega->text, vega->length);
    if (own)
        asif_html_script(&page->html, policy, own->text, own->length);
}

asif_status asif_page_make(char **out, const asif_context *context, const asif_page_request *request,
                           const asif_figures *figures, asif_error *error) {
    const asif_embedded_file *style = asif_embedded("page.css");
    asif_source source = {.context = context, .request = request};
    asif_people_source people = {.context = context};
    *out = NULL;
    bool population = request && request->population;
    asif_status status = population ? asif_people_source_open(&people, context, request, error)
                                    : asif_source_read(&source, context, request, error);
    asif_page page = {context, &source, figures, population ? &people : NULL, {.context = context}};
    asif_text policy = {.context = context}, whole = {.context = context};
    if (status == ASIF_OK)
        status = write_sections(&page, error);
    if (status == ASIF_OK) {
        write_scripts(&page, &policy);
        asif_text_add(&whole, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        asif_text_addf(
            &whole,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; img-src data: blob:; script-src%s; base-uri 'none'; form-action 'none'\">\n",
            policy.data ? policy.data : " 'none'");
        asif_text_add(&whole, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                              "<meta name=\"color-scheme\" content=\"light dark\">\n");
        asif_text_addf(&whole, "<meta name=\"generator\" content=\"asif %s\">\n", asif_version());
        asif_html_element(&whole, "title", asif_page_title(&page));
        asif_text_add(&whole, "<style>\n");
        asif_text_add(&whole, style ? style->text : "");
        asif_text_add(&whole, "</style>\n</head>\n<body>\n");
        asif_text_add(&whole, page.html.data ? page.html.data : "");
        asif_text_add(&whole, "</body>\n</html>\n");
        whole.failed |= page.html.failed || policy.failed;
        status = asif_text_finish(out, &whole, error);
    }
    asif_text_free(&policy);
    asif_text_free(&page.html);
    asif_people_source_free(&people);
    asif_source_free(&source);
    return status;
}
