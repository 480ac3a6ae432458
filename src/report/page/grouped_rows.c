/* A table about all groups: rows with the same name stand together, and groups that agree share one row. */
#include "report/page/page.h"

#include "base/memory.h"

#include <string.h>

enum { NAME, GROUP, REST };

void asif_page_rows_begin(asif_page_rows *rows, asif_page *page, uint32_t columns) {
    *rows = (asif_page_rows){.page = page, .columns = columns, .cells = {.context = page->context}};
}

void asif_page_row(asif_page_rows *rows, const asif_source_fit *fit, const char *const *cells) {
    const char *group = rows->page->source->fits > 1 && fit->name ? fit->name : "";
    for (uint32_t c = 0; c < rows->columns; c++) {
        const char *cell = c == GROUP ? group : cells[c == NAME ? NAME : c - 1];
        asif_text_add_n(&rows->cells, cell, strlen(cell) + 1);
    }
    rows->count++;
}

static bool equal(const asif_page_rows *rows, const char *const *a, const char *const *b) {
    for (uint32_t c = REST; c < rows->columns; c++)
        if (strcmp(a[c], b[c]) != 0)
            return false;
    return true;
}

/* Add the rows that have the name of row `first`, which is the first of them. */
static void add_named(asif_html_table *table, const asif_page_rows *rows, const char *const *cell,
                      uint32_t first) {
    const uint32_t n = rows->columns;
    const char *const *one = &cell[(uint64_t)first * n];
    uint32_t named = 0, same = 0;
    for (uint32_t r = first; r < rows->count; r++)
        if (strcmp(cell[(uint64_t)r * n], *one) == 0) {
            named++;
            same += equal(rows, one, &cell[(uint64_t)r * n]);
        }
    bool together = named > 1 && same == rows->page->source->fits;
    for (uint32_t r = first; r < (together ? first + 1 : rows->count); r++)
        if (strcmp(cell[(uint64_t)r * n], *one) == 0)
            for (uint32_t c = 0; c < n; c++)
                asif_html_cell(table, together && c == GROUP ? "all" : cell[(uint64_t)r * n + c]);
}

void asif_page_rows_end(asif_page_rows *rows, const char *caption, const char *const *heads,
                        uint64_t numbers) {
    asif_text *html = &rows->page->html;
    const char **cell =
        ASIF_ARRAY(rows->page->context, (uint64_t)rows->count * rows->columns + 1, const char *);
    html->failed |= !cell || rows->cells.failed;
    if (!html->failed && rows->count > 0) {
        asif_html_table table;
        const char *at = rows->cells.data;
        for (uint64_t i = 0; i < (uint64_t)rows->count * rows->columns; i++, at += strlen(at) + 1)
            cell[i] = at;
        asif_html_table_begin(&table, html, caption, rows->columns, heads, numbers);
        for (uint32_t r = 0; r < rows->count; r++) {
            uint32_t before = 0;
            while (strcmp(cell[(uint64_t)before * rows->columns], cell[(uint64_t)r * rows->columns]) != 0)
                before++;
            if (before == r)
                add_named(&table, rows, cell, r);
        }
        asif_html_table_end(&table);
    }
    asif_free(rows->page->context, cell);
    asif_text_free(&rows->cells);
}
