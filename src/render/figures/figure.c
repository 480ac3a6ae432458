/* Builds figures from templates, their slots, data, words and tables. */
#include "render/figures/figure.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/embedded.h"

#include <math.h>
#include <string.h>

#define DIGITS 5 /* digits of a number that is drawn */

void asif_figure_init_of(asif_figure *figure, const asif_context *context, const char *name, const char *of) {
    *figure = (asif_figure){.context = context};
    figure->title.context = figure->alt.context = figure->caption.context = context;
    figure->data_text.context = figure->slots.context = figure->cells.context = context;
    figure->panels.context = context;
    asif_format(figure->name, sizeof figure->name, "%s%s%.48s", name, of ? "-" : "", of ? of : "");
    for (char *c = figure->name; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
        else if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9'))
            *c = '-';
    asif_json_init(&figure->data, &figure->data_text);
    figure->data.dense = 3; /* one line per row */
    asif_json_object(&figure->data, NULL);
}

void asif_figure_init(asif_figure *figure, const asif_context *context, const char *name) {
    asif_figure_init_of(figure, context, name, NULL);
}

void asif_figure_number(asif_figure *figure, const char *key, double number) {
    char digits[ASIF_NUMBER_SIZE];
    double rounded = number;
    if (!isfinite(number)) {
        asif_json_null(&figure->data, key);
        return;
    }
    asif_format(digits, sizeof digits, "%.*g", DIGITS, number);
    asif_number_read(digits, strlen(digits), &rounded);
    asif_json_number(&figure->data, key, rounded);
}

void asif_figure_slot_json(asif_figure *figure, const char *name, const char *json) {
    asif_text_add_n(&figure->slots, name, strlen(name) + 1);
    asif_text_add_n(&figure->slots, json, strlen(json) + 1);
}

void asif_figure_slot(asif_figure *figure, const char *name, const char *string) {
    asif_text text = {.context = figure->context};
    asif_json json;
    asif_json_init(&json, &text);
    asif_json_string(&json, NULL, string);
    asif_figure_slot_json(figure, name, text.data ? text.data : "null");
    figure->slots.failed |= text.failed;
    asif_text_free(&text);
}

void asif_figure_table(asif_figure *figure, uint32_t columns, const char *const *heads) {
    figure->columns = columns;
    for (uint32_t i = 0; i < columns; i++)
        asif_figure_cell(figure, heads[i]);
}

void asif_figure_cell(asif_figure *figure, const char *cell) {
    asif_text_add_n(&figure->cells, cell, strlen(cell) + 1);
}

void asif_figure_cellf(asif_figure *figure, const char *format, ...) {
    va_list args;
    va_start(args, format);
    asif_text_addv(&figure->cells, format, args);
    va_end(args);
    asif_text_add_n(&figure->cells, "", 1);
}

void asif_figure_cell_number(asif_figure *figure, double number) {
    char cell[ASIF_CELL_SIZE];
    asif_figure_cell(figure, isnan(number) ? "" : asif_short_number(cell, number));
}

void asif_figure_free(asif_figure *figure) {
    asif_text_free(&figure->title);
    asif_text_free(&figure->alt);
    asif_text_free(&figure->caption);
    asif_text_free(&figure->data_text);
    asif_text_free(&figure->slots);
    asif_text_free(&figure->panels);
    asif_text_free(&figure->cells);
}

/* ---- the specification ---- */

static const char *slot_of(const asif_figure *figure, const char *name, uint64_t length) {
    const char *at = figure->slots.data, *end = at ? at + figure->slots.length : NULL;
    while (at && at < end) {
        const char *json = at + strlen(at) + 1;
        if (strlen(at) == length && memcmp(at, name, length) == 0)
            return json;
        at = json + strlen(json) + 1;
    }
    return NULL;
}

/* Add the members of a template, with its slots filled. */
static asif_status fill(asif_text *text, const asif_figure *figure, const asif_embedded_file *from,
                        asif_error *error) {
    const char *at = strchr(from->text, '{') + 1, *slot;
    while ((slot = strstr(at, "\"@")) != NULL) {
        const char *end = strchr(slot + 2, '"');
        const char *json = end ? slot_of(figure, slot + 2, (uint64_t)(end - slot - 2)) : NULL;
        if (!json)
            return asif_fail(error, ASIF_EDOMAIN, "the figure %s does not fill %.*s of %s", figure->name,
                             end ? (int)(end - slot) + 1 : 1, slot, from->name);
        asif_text_add_n(text, at, (uint64_t)(slot - at));
        asif_text_add(text, json);
        at = end + 1;
    }
    asif_text_add(text, at);
    return ASIF_OK;
}

asif_status asif_figure_panel(asif_figure *figure, const char *template_name, asif_error *error) {
    const asif_embedded_file *from = asif_embedded(template_name);
    if (!from)
        return asif_fail(error, ASIF_EDOMAIN, "there is no template %s", template_name);
    if (figure->slots.failed)
        return asif_fail_memory(error);
    asif_text_add(&figure->panels, figure->panels.length ? ",\n{" : "[{");
    asif_status status = fill(&figure->panels, figure, from, error);
    figure->slots.length = 0;
    return status == ASIF_OK && figure->panels.failed ? asif_fail_memory(error) : status;
}

static const char *or_empty(const asif_text *text) {
    return text->data ? text->data : "";
}

static uint32_t rows_of(const asif_figure *figure) {
    uint64_t cells = 0;
    for (uint64_t i = 0; i < figure->cells.length; i++)
        cells += figure->cells.data[i] == 0;
    return figure->columns && cells ? (uint32_t)(cells / figure->columns) - 1 : 0;
}

static void put_table(asif_json *json, const asif_figure *figure) {
    const char *cell = figure->cells.data;
    uint32_t rows = rows_of(figure);
    asif_json_object(json, "table");
    for (uint32_t r = 0; cell && r <= rows; r++) {
        if (r < 2)
            asif_json_array(json, r ? "rows" : "columns");
        if (r)
            asif_json_array(json, NULL);
        for (uint32_t c = 0; c < figure->columns; c++, cell += strlen(cell) + 1)
            asif_json_string(json, NULL, cell);
        asif_json_end(json);
    }
    if (cell && rows)
        asif_json_end(json);
    asif_json_end(json);
}

static void put_head(asif_text *text, const asif_figure *figure) {
    asif_json json;
    asif_json_init(&json, text);
    json.dense = 5;
    asif_json_object(&json, NULL);
    asif_json_string(&json, "$schema", "https://vega.github.io/schema/vega-lite/v6.json");
    asif_json_string(&json, "title", or_empty(&figure->title));
    asif_json_string(&json, "description", or_empty(&figure->alt));
    asif_json_object(&json, "usermeta");
    asif_json_object(&json, "asif");
    asif_json_string(&json, "version", asif_version());
    asif_json_string(&json, "name", figure->name);
    asif_json_string(&json, "caption", or_empty(&figure->caption));
    put_table(&json, figure);
    asif_json_end(&json);
    asif_json_end(&json);
    /* The object stays open, because the caller adds further members. */
}

static asif_status write_spec(char **out, asif_figure *figure, const char *template_name, asif_error *error) {
    const asif_embedded_file *from = asif_embedded(template_name), *config = asif_embedded("config.json");
    asif_text text = {.context = figure->context};
    if (!from || !config)
        return asif_fail(error, ASIF_EDOMAIN, "there is no template %s", template_name);
    put_head(&text, figure);
    asif_text_add(&text, ",\n\"config\": ");
    asif_text_add(&text, config->text);
    asif_text_add(&text, ",\n\"datasets\": ");
    asif_text_add(&text, or_empty(&figure->data_text));
    asif_text_add(&text, ",");
    asif_status status = fill(&text, figure, from, error);
    if (status == ASIF_OK)
        return asif_text_finish(out, &text, error);
    asif_text_free(&text);
    return status;
}

/* ---- lists ---- */

static void free_item(const asif_context *context, asif_figure_item *item) {
    char *const texts[] = {item->name, item->title, item->alt, item->caption, item->json, item->cells};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        asif_free(context, texts[i]);
}

static asif_status take(char **out, asif_text *text, asif_error *error) {
    asif_text taken = *text;
    *text = (asif_text){.context = text->context};
    asif_text_add(&taken, "");
    return asif_text_finish(out, &taken, error);
}

static asif_status make_item(asif_figure_item *item, asif_figure *figure, const char *template_name,
                             asif_error *error) {
    asif_text name = {.context = figure->context};
    asif_text *const parts[] = {&figure->title, &figure->alt,    &figure->caption, &figure->data_text,
                                &figure->slots, &figure->panels, &figure->cells};
    asif_json_end(&figure->data);
    if (figure->panels.length) {
        asif_text_add(&figure->panels, "]");
        asif_figure_slot_json(figure, "panels", or_empty(&figure->panels));
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i]->failed)
            return asif_fail_memory(error);
    ASIF_TRY(write_spec(&item->json, figure, template_name, error));
    item->length = strlen(item->json);
    item->columns = figure->columns;
    item->rows = rows_of(figure);
    asif_text_add(&name, figure->name);
    ASIF_TRY(take(&item->name, &name, error));
    ASIF_TRY(take(&item->title, &figure->title, error));
    ASIF_TRY(take(&item->alt, &figure->alt, error));
    ASIF_TRY(take(&item->caption, &figure->caption, error));
    return take(&item->cells, &figure->cells, error);
}

/* Make the name of a figure unique. Names of groups may differ only in characters that are replaced by
 * dashes. */
static void rename_twin(const asif_figures *list, asif_figure *figure) {
    size_t length = strlen(figure->name);
    for (uint32_t i = 0, n = 2; i < list->count; i++)
        if (strcmp(list->item[i].name, figure->name) == 0) {
            if (length > sizeof figure->name - 12)
                length = sizeof figure->name - 12;
            asif_format(figure->name + length, sizeof figure->name - length, "-%u", n++);
            i = UINT32_MAX; /* compare with all figures again */
        }
}

asif_status asif_figure_end(asif_figures *list, asif_figure *figure, const char *template_name,
                            asif_error *error) {
    asif_figure_item item = {0}, *grown = ASIF_ARRAY(list->context, list->count + 1, asif_figure_item);
    rename_twin(list, figure);
    asif_status status = grown ? make_item(&item, figure, template_name, error) : asif_fail_memory(error);
    asif_figure_free(figure);
    if (status != ASIF_OK) {
        free_item(list->context, &item);
        asif_free(list->context, grown);
        return status;
    }
    if (list->count)
        memcpy(grown, list->item, list->count * sizeof *grown);
    grown[list->count++] = item;
    asif_free(list->context, list->item);
    list->item = grown;
    return ASIF_OK;
}
void asif_figures_free(asif_figures *figures) {
    for (uint32_t i = 0; figures && i < figures->count; i++)
        free_item(figures->context, &figures->item[i]);
    if (figures)
        asif_free(figures->context, figures->item);
    if (figures)
        asif_free(figures->context, figures);
}

uint32_t asif_figures_count(const asif_figures *figures) {
    return figures ? figures->count : 0;
}

asif_status asif_figures_get(const asif_figures *figures, uint32_t index, asif_figure_view *view,
                             asif_error *error) {
    if (index >= asif_figures_count(figures))
        return asif_fail(error, ASIF_EDOMAIN, "there is no figure %u", index);
    const asif_figure_item *item = &figures->item[index];
    if (view->struct_size != sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "a view of a figure has another size");
    *view = (asif_figure_view){sizeof *view, item->name, item->title, item->json, item->length};
    return ASIF_OK;
}
