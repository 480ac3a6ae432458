/* Learnt transitions, written into the text of the study that marks them `learn`. */
#include "study/study_reader.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

/* Offset in a text of a line and column, both counted from 1. */
static uint64_t find_place(const char *text, uint64_t length, uint32_t line, uint32_t column) {
    uint64_t at = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (uint32_t i = 1; i < line && at < length; i++) {
        while (at < length && text[at] != '\n' && text[at] != '\r')
            at++;
        at += at + 1 < length && text[at] == '\r' && text[at + 1] == '\n' ? 2 : 1;
    }
    for (uint32_t i = 1; i < column && at < length; i++) {
        uint32_t character;
        at += asif_utf8_next(text + at, length - at, &character);
    }
    return at;
}

static bool is_plain(const char *label) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return label[0] && strspn(label, letters) == strlen(label);
}

/* Add a label, in double quotes if YAML needs them. Labels have no control characters. */
static void add_label(asif_text *text, const asif_setting *setting, asif_label_kind kind, uint32_t i) {
    char buffer[ASIF_LABEL_SIZE];
    const char *label = asif_setting_label(setting, kind, i, buffer);
    bool plain = is_plain(label);
    asif_text_add(text, plain ? "" : "\"");
    for (; *label; label++) {
        if (*label == '"' || *label == '\\')
            asif_text_add(text, "\\");
        asif_text_add_n(text, label, 1);
    }
    asif_text_add(text, plain ? "" : "\"");
}

/* Skip a YAML anchor before a mark, so that it is kept. */
static uint64_t skip_anchor(const char *text, uint64_t length, uint64_t at) {
    if (at >= length || text[at] != '&')
        return at;
    while (at < length && text[at] != ' ')
        at++;
    while (at < length && text[at] == ' ')
        at++;
    return at;
}

/* Add a distribution of increments: [p, ...] if they begin at 0, otherwise {STEP: p, ...}. */
static void add_increments(asif_text *text, const asif_world_estimate *e) {
    bool list = e->cell[0].to == 0;
    asif_text_add(text, list ? "[" : "{");
    for (uint64_t i = 0; i < e->cells; i++) {
        asif_text_add(text, i ? ", " : "");
        if (!list)
            asif_text_addf(text, "%d: ", (int)e->cell[i].to);
        asif_text_add_number(text, e->cell[i].probability);
    }
    asif_text_add(text, list ? "]" : "}");
}

/* Add the rows of a matrix: {STATE: {NEXT: p, ...}, ...}, with a line for each state. */
static void add_rows(asif_text *text, const asif_setting *setting, const asif_world_estimate *e,
                     const char *indent) {
    asif_text_add(text, "{");
    for (uint64_t i = 0; i < e->cells; i++) {
        const asif_world_cell *cell = &e->cell[i];
        bool first = i == 0 || cell[-1].from != cell->from;
        if (first) {
            asif_text_addf(text, "%s\n%s", i ? "}," : "", indent);
            add_label(text, setting, ASIF_LABEL_STATE, cell->from);
            asif_text_add(text, ": {");
        }
        asif_text_add(text, first ? "" : ", ");
        add_label(text, setting, ASIF_LABEL_STATE, (uint32_t)cell->to);
        asif_text_add(text, ": ");
        asif_text_add_number(text, cell->probability);
    }
    asif_text_add(text, "}}");
}

/* Indentation of the line that contains `at`, plus four blanks. */
static void find_indent(const char *text, uint64_t at, char *indent, size_t size) {
    uint64_t begin = at;
    size_t blanks = 0;
    while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '\r')
        begin--;
    while (text[begin + blanks] == ' ' && blanks + 5 < size)
        blanks++;
    memset(indent, ' ', blanks + 4);
    indent[blanks + 4] = 0;
}

static uint32_t next_part(const asif_study *study, uint32_t parts, const asif_part_place *after) {
    uint32_t next = UINT32_MAX;
    for (uint32_t i = 0; i < parts; i++) {
        const asif_part_place *p = asif_study_part_place(study, i),
                              *best = next == UINT32_MAX ? NULL : asif_study_part_place(study, next);
        bool later = !after || p->line > after->line || (p->line == after->line && p->column > after->column);
        bool sooner = !best || p->line < best->line || (p->line == best->line && p->column < best->column);
        if (later && sooner)
            next = i;
    }
    return next;
}

/* Replace `transitions: learn` by a mapping from actions to matrices. Its parts follow each other. */
static void add_whole(asif_text *text, const asif_study *study, const asif_learnt_world *world, uint32_t i,
                      uint32_t parts, const char *indent) {
    const asif_setting *setting = asif_study_setting(study);
    const asif_part_place *place = asif_study_part_place(study, i);
    char deeper[80];
    asif_format(deeper, sizeof deeper, "%s    ", indent);
    asif_text_add(text, "{");
    for (uint32_t k = i; k < parts; k++) {
        const asif_part_place *p = asif_study_part_place(study, k);
        uint32_t action = 0;
        if (p->line != place->line || p->column != place->column)
            break;
        while (!asif_study_part(study, k)->action[action])
            action++;
        asif_text_addf(text, "%s\n%s", k > i ? "," : "", indent);
        add_label(text, setting, ASIF_LABEL_ACTION, action);
        asif_text_add(text, ": ");
        add_rows(text, setting, asif_learnt_world_get(world, k), deeper);
    }
    asif_text_add(text, "}");
}

static asif_status fail_place(asif_error *error, const char *mark, uint32_t line, uint32_t column) {
    asif_fail(error, ASIF_EUNSUPPORTED, "`%s` cannot be replaced where it stands", asif_show(mark).text);
    asif_error_at(error, NULL, line, column);
    asif_error_hint(error, "write it without a tag, on one line");
    return ASIF_EUNSUPPORTED;
}

asif_status asif_study_fill(char **out, const asif_study *study, const char *text, uint64_t length,
                            const asif_learnt_world *world, asif_error *error) {
    asif_text filled = {.context = asif_study_context(study)};
    const asif_part_place *place = NULL;
    uint64_t done = 0;
    uint32_t parts = 0, i;
    char indent[64];
    *out = NULL;
    while (asif_study_part(study, parts))
        parts++;
    while ((i = next_part(study, parts, place)) != UINT32_MAX) {
        place = asif_study_part_place(study, i);
        uint64_t at = find_place(text, length, place->line, place->column), size = strlen(place->mark);
        at = skip_anchor(text, length, at);
        if (at < done || at > length || length - at < size || memcmp(text + at, place->mark, size) != 0) {
            asif_text_free(&filled);
            return fail_place(error, place->mark, place->line, place->column);
        }
        asif_text_add_n(&filled, text + done, at - done);
        find_indent(text, at, indent, sizeof indent);
        if (asif_study_part(study, i)->increments)
            add_increments(&filled, asif_learnt_world_get(world, i));
        else if (place->whole)
            add_whole(&filled, study, world, i, parts, indent);
        else
            add_rows(&filled, asif_study_setting(study), asif_learnt_world_get(world, i), indent);
        done = at + size;
    }
    asif_text_add_n(&filled, text + done, length - done);
    return asif_text_finish(out, &filled, error);
}

/* ---- hidden dynamics ---- */

static void add_list(asif_text *text, const double *p, uint32_t n) {
    asif_text_add(text, "[");
    for (uint32_t i = 0; i < n; i++) {
        asif_text_add(text, i ? ", " : "");
        asif_text_add_number(text, p[i]);
    }
    asif_text_add(text, "]");
}

/* Add a table as a list of rows, each on a line of its own. */
static void add_table(asif_text *text, const asif_dynamics_table *table, const double *p,
                      const char *indent) {
    asif_text_add(text, "[");
    for (uint32_t r = 0; r < table->rows; r++) {
        asif_text_addf(text, "%s\n%s", r ? "," : "", indent);
        add_list(text, p + (uint64_t)r * table->columns, table->columns);
    }
    asif_text_add(text, "]");
}

/* What replaces a mark: a distribution, a table, or a mapping from actions to tables. */
static void add_learnt(asif_text *text, const asif_study *study, const struct asif_hidden_place *place,
                       const double *point, const char *indent) {
    const asif_dynamics_spec *s = asif_study_hidden_dynamics(study);
    char deeper[80];
    asif_format(deeper, sizeof deeper, "%s    ", indent);
    bool begun = false;
    for (uint32_t u = 0; u < s->actions; u++) {
        uint32_t t = place->table[u];
        if (t == ASIF_ANY)
            continue;
        const double *p = point;
        for (uint32_t i = 0; i < t; i++)
            p += (uint64_t)s->table[i].rows * s->table[i].columns;
        if (place->which == ASIF_READER_START) {
            add_list(text, p + (uint64_t)place->row * s->states, s->states);
            return;
        }
        if (!place->by_action) {
            add_table(text, &s->table[t], p, indent);
            return;
        }
        asif_text_addf(text, "%s\n%s", begun ? "," : "{", indent);
        add_label(text, asif_study_setting(study), ASIF_LABEL_ACTION, u);
        asif_text_add(text, ": ");
        add_table(text, &s->table[t], p, deeper);
        begun = true;
    }
    asif_text_add(text, "}");
}

asif_status asif_study_fill_dynamics(char **out, const asif_study *study, const char *text, uint64_t length,
                                     const double *point, asif_error *error) {
    const asif_hidden *hidden = asif_study_hidden(study);
    asif_text filled = {.context = asif_study_context(study)};
    uint64_t done = 0;
    char indent[64];
    *out = NULL;
    if (!asif_study_hidden_dynamics(study))
        return asif_fail(error, ASIF_EDOMAIN, "the study leaves no hidden dynamics to be learnt");
    for (uint32_t i = 0; i < hidden->marks; i++) {
        const struct asif_hidden_place *place = &hidden->mark[i];
        uint64_t at = find_place(text, length, place->line, place->column), size = strlen(place->mark);
        at = skip_anchor(text, length, at);
        if (at < done || at > length || length - at < size || memcmp(text + at, place->mark, size) != 0) {
            asif_text_free(&filled);
            return fail_place(error, place->mark, place->line, place->column);
        }
        asif_text_add_n(&filled, text + done, at - done);
        find_indent(text, at, indent, sizeof indent);
        add_learnt(&filled, study, place, point, indent);
        done = at + size;
    }
    asif_text_add_n(&filled, text + done, length - done);
    return asif_text_finish(out, &filled, error);
}
