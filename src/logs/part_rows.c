/* The part of a table that conditions on columns select: whole episodes, by the values of their rows. A first
 * pass finds the episodes; in later ones, rows of other episodes are left out before they are judged. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/parts.h"
#include "logs/reading.h"

#include <string.h>

/* The value of the column of a condition in the current row; NULL: missing. */
static const char *value_of(asif_reading *r, uint32_t i) {
    uint32_t group = r->where_group[i];
    if (group != ASIF_ANY) {
        int member = asif_rules_member(r, group);
        return member < 0 ? NULL : member ? "yes" : "no";
    }
    const asif_csv_cell *cell = &r->table->cell[r->where[i]];
    return asif_csv_missing(cell) ? NULL : cell->text;
}

/* The value of a column in an episode that has none: who is not known to belong to a group does not. */
static const char *when_missing(const asif_reading *r, uint32_t i) {
    return r->where_group[i] == ASIF_ANY ? "" : "no";
}

/* Make the key of the row's episode. *known: no part of it is missing. False: no memory. */
static bool make_key(asif_reading *r, bool *known) {
    const uint32_t columns[] = {r->subject, r->episode};
    asif_text *key = &r->part->key;
    key->length = 0;
    *known = true;
    asif_text_add_n(key, "", 1); /* a table without these columns is one episode */
    for (size_t i = 0; i < 2; i++)
        if (columns[i] != ASIF_NO_COLUMN) {
            const asif_csv_cell *cell = &r->table->cell[columns[i]];
            *known = *known && !asif_csv_missing(cell);
            asif_text_add_n(key, cell->text, (uint64_t)cell->length + 1);
        }
    return !key->failed;
}

/* ---- the pass that finds the episodes ---- */

/* Find the number of the row's episode. */
static asif_status find_episode(asif_reading *r, uint32_t *out, asif_error *error) {
    asif_part *part = r->part;
    uint32_t n = r->options.wheres, had = part->keys.count;
    *out = asif_names_add(&part->keys, part->key.data, part->key.length);
    if (*out == ASIF_NO_NAME)
        return asif_fail_memory(error);
    for (uint64_t at = (uint64_t)had * n; at < (uint64_t)part->keys.count * n; at++) {
        if (!asif_grow(r->context, &part->value, at, &part->value_capacity, sizeof *part->value))
            return asif_fail_memory(error);
        part->value[at] = ASIF_CODE_MISSING;
    }
    return ASIF_OK;
}

static asif_status take_value(asif_reading *r, uint32_t episode, uint32_t i, const char *text,
                              asif_error *error) {
    asif_part *part = r->part;
    const asif_logs_where *where = &r->options.where[i];
    uint32_t *value = &part->value[(uint64_t)episode * r->options.wheres + i];
    uint32_t now = asif_names_add(&part->values, text, strlen(text));
    if (now == ASIF_NO_NAME)
        return asif_fail_memory(error);
    if (*value == ASIF_CODE_MISSING)
        *value = now;
    if (*value == now || part->changes == ASIF_DESCRIBED ||
        !(asif_where_holds(where, text) || asif_where_holds(where, asif_names_get(&part->values, *value))))
        return ASIF_OK;
    if (!asif_grow(r->context, &part->change, part->changes, &part->change_capacity, sizeof *part->change))
        return asif_fail_memory(error);
    part->change[part->changes++] =
        (asif_part_change){episode, i, *value, now, asif_reading_here(r, r->where[i])};
    return ASIF_OK;
}

asif_status asif_part_take(asif_reading *r, asif_error *error) {
    uint32_t episode = 0;
    bool known = false;
    asif_cells_read(r);
    if (!make_key(r, &known))
        return asif_fail_memory(error);
    if (!known)
        return ASIF_OK;
    ASIF_TRY(find_episode(r, &episode, error));
    for (uint32_t i = 0; i < r->options.wheres; i++) {
        const char *text = value_of(r, i);
        if (text)
            ASIF_TRY(take_value(r, episode, i, text, error));
    }
    return ASIF_OK;
}

static const char *text_of(const asif_reading *r, uint64_t episode, uint32_t i) {
    uint32_t v = r->part->value[episode * r->options.wheres + i];
    return v == ASIF_CODE_MISSING ? when_missing(r, i) : asif_names_get(&r->part->values, v);
}

/* List a change, if the other conditions hold for the episode. */
static void say_change(asif_reading *r, const asif_part_change *change) {
    const asif_logs_where *where = r->options.where;
    const char *before = asif_names_get(&r->part->values, change->before),
               *now = asif_names_get(&r->part->values, change->now);
    for (uint32_t i = 0; i < r->options.wheres; i++)
        if (i != change->which && !asif_where_holds(&where[i], text_of(r, change->episode, i)))
            return;
    asif_reading_problem(
        r, change->place,
        "a covariate has one value an episode; spellings of one value are joined by `recode` "
        "(`logs: {columns: ...}`)",
        "`%s` changes from `%s` to `%s`", asif_show(where[change->which].column).text, asif_show(before).text,
        asif_show(now).text);
}

/* List that no episode is left by a condition, with the values of those that fulfil the conditions before. */
static asif_status say_nobody(asif_reading *r, const bool *before, uint32_t which, asif_error *error) {
    asif_names seen = {.context = r->context};
    asif_status status = ASIF_OK;
    for (uint64_t e = 0; status == ASIF_OK && e < r->part->keys.count; e++) {
        const char *text = text_of(r, e, which);
        if (before[e] && asif_names_add(&seen, text, strlen(text)) == ASIF_NO_NAME)
            status = asif_fail_memory(error);
    }
    uint32_t *order = ASIF_ARRAY(r->context, seen.count, uint32_t);
    const char **value = ASIF_ARRAY(r->context, seen.count, const char *);
    if (status == ASIF_OK && (!order || !value || !asif_names_order(&seen, order)))
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        asif_error problem = ASIF_ERROR_INIT;
        for (uint32_t i = 0; i < seen.count; i++)
            value[order[i]] = asif_names_get(&seen, i);
        asif_where_nobody(r->options.where, which, value, seen.count, &problem);
        if (asif_reading_wants(r, ASIF_PROBLEM_ERROR))
            asif_reading_list(r, ASIF_PROBLEM_ERROR, problem.status, (asif_place){0, 0, 0}, problem.hint,
                              "%s", problem.message);
    }
    asif_free(r->context, order);
    asif_free(r->context, value);
    asif_names_free(&seen);
    return status;
}

/* Choose the episodes that fulfil condition `which` and those before it. */
static asif_status choose(asif_reading *r, bool *before, uint32_t which, asif_error *error) {
    asif_part *part = r->part;
    uint64_t left = 0;
    memcpy(before, part->chosen, part->keys.count);
    for (uint64_t e = 0; e < part->keys.count; e++) {
        part->chosen[e] = part->chosen[e] && asif_where_holds(&r->options.where[which], text_of(r, e, which));
        left += part->chosen[e];
    }
    return left || !part->keys.count ? ASIF_OK : say_nobody(r, before, which, error);
}

asif_status asif_part_end(asif_reading *r, asif_error *error) {
    asif_part *part = r->part;
    bool *before = ASIF_ARRAY(r->context, part->keys.count, bool);
    part->chosen = ASIF_ARRAY(r->context, part->keys.count, bool);
    asif_status status = before && part->chosen ? ASIF_OK : asif_fail_memory(error);
    r->muted = false;
    for (uint64_t i = 0; i < part->changes; i++)
        say_change(r, &part->change[i]);
    if (status == ASIF_OK)
        memset(part->chosen, true, part->keys.count);
    for (uint32_t i = 0; status == ASIF_OK && !r->failed && i < r->options.wheres; i++)
        status = choose(r, before, i, error);
    asif_free(r->context, before);
    r->again = !r->failed;
    if (r->again)
        r->pass = r->measures ? ASIF_PASS_MEASURE : ASIF_PASS_ASCENDING;
    return status;
}

/* ---- later passes ---- */

/* Whether the row itself does not speak against the conditions, for one whose episode is not known. */
static bool may_be(asif_reading *r) {
    for (uint32_t i = 0; i < r->options.wheres; i++) {
        const char *text = value_of(r, i);
        if (text && !asif_where_holds(&r->options.where[i], text))
            return false;
    }
    return true;
}

asif_status asif_part_read(asif_reading *r, bool *wanted, asif_error *error) {
    asif_part *part = r->part;
    size_t size = r->header * sizeof *part->cell;
    bool known = false;
    if (!part->cell && !(part->cell = asif_alloc(r->context, r->header, sizeof *part->cell)))
        return asif_fail_memory(error);
    memcpy(part->cell, r->table->cell, size);
    r->muted = true;
    asif_cells_read(r);
    if (!make_key(r, &known))
        return asif_fail_memory(error);
    uint32_t id = known ? asif_names_find(&part->keys, part->key.data, part->key.length) : ASIF_NO_NAME;
    *wanted = id == ASIF_NO_NAME ? may_be(r) : part->chosen[id];
    r->muted = false;
    if (!*wanted) {
        asif_reading_leave_out(r, &r->out[ASIF_RULE_WHERE], r->table->row);
        return ASIF_OK;
    }
    memcpy(r->table->cell, part->cell, size);
    asif_cells_read(r);
    return ASIF_OK;
}

void asif_part_free(const asif_context *context, asif_part *part) {
    asif_names_free(&part->keys);
    asif_names_free(&part->values);
    asif_text_free(&part->key);
    asif_free(context, part->value);
    asif_free(context, part->change);
    asif_free(context, part->chosen);
    asif_free(context, part->cell);
}
