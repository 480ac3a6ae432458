/* Writes the rows that are kept, as they were understood, as a CSV table. */
#include "logs/reading.h"

#include "setting/setting.h"

#include <math.h>
#include <string.h>

/* Add a cell after a separator, in quotes if it needs them. */
static void add_cell(asif_text *out, const char *text, bool first) {
    asif_text_add(out, first ? "" : ",");
    bool missing = asif_csv_missing(&(asif_csv_cell){text, (uint32_t)strlen(text), false, 0});
    if (!text[strcspn(text, ",;\t\"\r\n")] && text[0] != ' ' && (!missing || !text[0])) {
        asif_text_add(out, text);
        return;
    }
    asif_text_add(out, "\"");
    for (const char *c = text; *c; c++)
        asif_text_add_n(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    asif_text_add(out, "\"");
}

static void add_header(asif_reading *r) {
    asif_text *out = &r->rows;
    bool subject = r->subject != ASIF_NO_COLUMN, episode = r->episode != ASIF_NO_COLUMN;
    asif_text_add(out, subject ? "subject," : "");
    asif_text_add(out, episode ? "episode," : "");
    asif_text_add(out, "t,");
    for (uint32_t p = 0; r->start_of && p < asif_setting_get(r->setting)->seen_columns; p++) {
        add_cell(out, asif_setting_get(r->setting)->seen_column[p].name, true);
        asif_text_add(out, ",");
    }
    asif_text_add(out, "action,");
    asif_text_add(out, r->states_seen ? "state" : "observation");
    asif_text_add(out, r->weight != ASIF_NO_COLUMN ? ",weight" : "");
    asif_text_add(out, r->label.parts ? ",label" : "");
    for (uint32_t g = 0; g < r->map->groups; g++)
        add_cell(out, r->map->group[g].name, false);
    asif_text_add(out, "\n");
}

static const char *label_of(const asif_reading *r, asif_coder *coder, uint32_t code, char *buffer) {
    if (code >= ASIF_CODE_BAD)
        return "";
    if (asif_code_lost(code))
        return asif_coder_lost_text(coder, code);
    return r->setting ? asif_setting_label(r->setting, coder->kind, code, buffer)
                      : asif_names_get(&coder->names, code);
}

static void add_time(asif_reading *r, uint64_t step, uint64_t i) {
    double time = r->step[step].time;
    if (r->time == ASIF_NO_COLUMN || r->dates)
        asif_text_addf(&r->rows, "%llu", (unsigned long long)i);
    else if (isnan(time))
        add_cell(&r->rows, r->times.data + r->step_text[step] - 1, true);
    else
        asif_text_addf(&r->rows, "%.15g", r->map->step > 0 ? rint(time / r->map->step) : time);
}

/* Add the columns of the seen part of the state. */
static void add_place(asif_reading *r, uint32_t place) {
    const asif_setting_spec *spec = r->start_of ? asif_setting_get(r->setting) : NULL;
    uint32_t rest = spec ? asif_column_values(spec) : 1;
    for (uint32_t p = 0; spec && p < spec->seen_columns; p++) {
        rest /= spec->seen_column[p].classes;
        add_cell(&r->rows, spec->seen_column[p].class_names[place / rest % spec->seen_column[p].classes],
                 false);
    }
}

bool asif_rows_write(asif_reading *r, const char *key, uint64_t subject_length, const uint64_t *order,
                     uint64_t count) {
    asif_text *out = &r->rows;
    char buffer[ASIF_LABEL_SIZE];
    uint32_t groups = 0;
    if (out->length == 0)
        add_header(r);
    for (uint64_t i = 0; i < count; i++)
        groups |= r->step[order[i]].groups;
    for (uint64_t i = 0; i < count; i++) {
        const asif_step *step = &r->step[order[i]];
        if (r->subject != ASIF_NO_COLUMN)
            add_cell(out, key, true);
        if (r->episode != ASIF_NO_COLUMN)
            add_cell(out, key + subject_length + 1, r->subject == ASIF_NO_COLUMN);
        asif_text_add(out, r->subject != ASIF_NO_COLUMN || r->episode != ASIF_NO_COLUMN ? "," : "");
        add_time(r, order[i], i);
        add_place(r, step->place);
        add_cell(out, label_of(r, &r->action, step->action, buffer), false);
        add_cell(out, label_of(r, &r->seen, step->seen, buffer), false);
        if (r->weight != ASIF_NO_COLUMN)
            asif_text_addf(out, ",%.15g", r->step_weight[order[i]]);
        if (r->label.parts)
            add_cell(out, label_of(r, &r->label, step->label, buffer), false);
        for (uint32_t g = 0; g < r->map->groups; g++)
            asif_text_add(out, groups >> g & 1 ? ",yes" : ",no");
        asif_text_add(out, "\n");
    }
    return !out->failed;
}
