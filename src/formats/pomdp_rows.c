/* Tables of probability rows. States and actions share a row until a statement changes it for some
 * of them. */
#include "formats/pomdp.h"

#include "base/memory.h"

#include <string.h>

bool asif_pomdp_table_init(asif_pomdp_table *table, const asif_context *context, uint32_t actions,
                           uint32_t states, uint32_t columns) {
    memset(table, 0, sizeof *table);
    table->context = context;
    table->actions = actions;
    table->states = states;
    table->columns = columns;
    table->holder = ASIF_ARRAY(context, actions, asif_pomdp_holder);
    uint32_t empty;
    if (!table->holder || !asif_pomdp_row_new(table, &empty, 0, 0))
        return false;
    table->row[empty].refs = UINT32_MAX;
    return true;
}

void asif_pomdp_table_free(asif_pomdp_table *table) {
    for (uint32_t a = 0; table->holder && a < table->actions; a++)
        asif_free(table->context, table->holder[a].own);
    for (uint64_t i = 0; i < table->rows; i++)
        asif_free(table->context, table->row[i].entry);
    asif_free(table->context, table->holder);
    asif_free(table->context, table->row);
    asif_free(table->context, table->unused);
    memset(table, 0, sizeof *table);
}

bool asif_pomdp_row_new(asif_pomdp_table *table, uint32_t *out, uint32_t line, uint32_t column) {
    if (table->unused_count) {
        *out = table->unused[--table->unused_count];
    } else {
        if (table->rows >= UINT32_MAX ||
            !asif_grow(table->context, &table->row, table->rows, &table->row_capacity, sizeof *table->row))
            return false;
        *out = (uint32_t)table->rows++;
    }
    table->row[*out] = (asif_pomdp_row){.line = line, .column = column};
    return true;
}

static bool append(asif_pomdp_table *table, asif_pomdp_row *row, uint32_t column, double value) {
    if (!asif_grow(table->context, &row->entry, row->count, &row->capacity, sizeof *row->entry))
        return false;
    row->entry[row->count++] = (asif_pomdp_entry){column, value};
    return true;
}

bool asif_pomdp_row_push(asif_pomdp_table *table, uint32_t row, uint32_t column, double value) {
    asif_pomdp_row *r = &table->row[row];
    return value == r->fill || append(table, r, column, value);
}

bool asif_pomdp_row_copy(asif_pomdp_table *table, uint32_t *out, const asif_pomdp_row *from, uint32_t line,
                         uint32_t column) {
    asif_pomdp_row copy = *from; /* a copy, as `from` may move when the table grows */
    if (!asif_pomdp_row_new(table, out, line, column))
        return false;
    asif_pomdp_row *to = &table->row[*out];
    to->fill = copy.fill;
    to->self = copy.self;
    if (copy.count == 0)
        return true;
    to->entry = ASIF_ARRAY(table->context, copy.count, asif_pomdp_entry);
    if (!to->entry)
        return false;
    memcpy(to->entry, copy.entry, copy.count * sizeof *to->entry);
    to->count = copy.count;
    to->capacity = copy.count;
    return true;
}

static void let_go(asif_pomdp_table *table, uint32_t row) {
    if (row == 0 || --table->row[row].refs > 0)
        return;
    asif_pomdp_row *r = &table->row[row];
    asif_free(table->context, r->entry);
    *r = (asif_pomdp_row){0};
    /* If there is no memory to note its number, the row stays unused until the table is freed. */
    if (asif_grow(table->context, &table->unused, table->unused_count, &table->unused_capacity,
                  sizeof *table->unused))
        table->unused[table->unused_count++] = row;
}

static void hold(asif_pomdp_table *table, uint32_t *place, uint32_t row) {
    if (row)
        table->row[row].refs++;
    let_go(table, *place);
    *place = row;
}

static void drop_own(asif_pomdp_table *table, asif_pomdp_holder *holder) {
    for (uint32_t s = 0; holder->own && s < table->states; s++)
        hold(table, &holder->own[s], 0);
    asif_free(table->context, holder->own);
    holder->own = NULL;
}

/* Where the number of a state's own row is stored. */
static uint32_t *own_place(asif_pomdp_table *table, uint32_t action, uint32_t state) {
    asif_pomdp_holder *holder = &table->holder[action];
    if (!holder->own)
        holder->own = ASIF_ARRAY(table->context, table->states, uint32_t);
    return holder->own ? &holder->own[state] : NULL;
}

static void range(uint32_t index, uint32_t count, uint32_t *begin, uint32_t *end) {
    *begin = index == ASIF_ANY ? 0 : index;
    *end = index == ASIF_ANY ? count : index + 1;
}

bool asif_pomdp_set_row(asif_pomdp_table *table, uint32_t action, uint32_t state, uint32_t row) {
    uint32_t begin, end;
    range(action, table->actions, &begin, &end);
    bool one = table->states == 1;
    for (uint32_t a = begin; a < end; a++) {
        if (state == ASIF_ANY || one) {
            drop_own(table, &table->holder[a]);
            hold(table, &table->holder[a].base, row);
            continue;
        }
        uint32_t *place = own_place(table, a, state);
        if (!place)
            return false;
        hold(table, place, row);
    }
    return true;
}

static bool put(asif_pomdp_table *table, uint32_t row, uint32_t c, double value) {
    asif_pomdp_row *r = &table->row[row];
    uint32_t low = 0, high = r->count;
    if (high && r->entry[high - 1].column < c)
        low = high; /* columns mostly ascend in files */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->entry[middle].column < c)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < r->count && r->entry[low].column == c;
    if (value == r->fill) {
        if (found) {
            memmove(&r->entry[low], &r->entry[low + 1], (r->count - low - 1) * sizeof *r->entry);
            r->count--;
        }
        return true;
    }
    if (found) {
        r->entry[low].value = value;
        return true;
    }
    if (!append(table, r, c, value))
        return false;
    memmove(&r->entry[low + 1], &r->entry[low], (r->count - 1 - low) * sizeof *r->entry);
    r->entry[low] = (asif_pomdp_entry){c, value};
    return true;
}

/* Changes a column of the row at `place`. A row that is shared is copied first; the others that the same
 * statement changes share the copy. */
static bool change(asif_pomdp_table *table, uint32_t *place, uint32_t c, double value, uint32_t line,
                   uint32_t column) {
    uint32_t old = *place;
    if (table->row[old].stamp == table->stamp) {
        hold(table, place, table->row[old].replacement);
        return true;
    }
    if (table->row[old].refs == 1) {
        table->row[old].line = line;
        table->row[old].column = column;
        return put(table, old, c, value);
    }
    uint32_t made;
    if (!asif_pomdp_row_copy(table, &made, &table->row[old], line, column) || !put(table, made, c, value))
        return false;
    table->row[old].stamp = table->stamp;
    table->row[old].replacement = made;
    hold(table, place, made);
    return true;
}

/* Gives a state a row of its own, equal to the row it uses; if that is the empty row, it stays 0. */
static bool make_own(asif_pomdp_table *table, uint32_t action, uint32_t state, uint32_t **place) {
    *place = own_place(table, action, state);
    if (!*place || **place)
        return *place != NULL;
    uint32_t base = table->holder[action].base;
    if (!table->row[base].self) {
        hold(table, *place, base);
        return true;
    }
    uint32_t made;
    if (!asif_pomdp_row_copy(table, &made, &table->row[base], table->row[base].line, table->row[base].column))
        return false;
    table->row[made].self = false;
    if (!put(table, made, state, 1))
        return false;
    hold(table, *place, made);
    return true;
}

static bool set_column(asif_pomdp_table *table, uint32_t action, uint32_t state, uint32_t c, double value,
                       uint32_t line, uint32_t column) {
    asif_pomdp_holder *holder = &table->holder[action];
    uint32_t *place;
    if (state != ASIF_ANY && table->states > 1)
        return make_own(table, action, state, &place) && change(table, place, c, value, line, column);
    /* In an identity, state c needs a row of its own: its column c differs from that of the other states. */
    if (table->row[holder->base].self && c < table->states && !make_own(table, action, c, &place))
        return false;
    if (!change(table, &holder->base, c, value, line, column))
        return false;
    for (uint32_t s = 0; holder->own && s < table->states; s++)
        if (holder->own[s] && !change(table, &holder->own[s], c, value, line, column))
            return false;
    return true;
}

bool asif_pomdp_set_cell(asif_pomdp_table *table, uint32_t action, uint32_t state, uint32_t c, double value,
                         uint32_t line, uint32_t column) {
    if (c == ASIF_ANY) {
        uint32_t row;
        if (!asif_pomdp_row_new(table, &row, line, column))
            return false;
        table->row[row].fill = value;
        return asif_pomdp_set_row(table, action, state, row);
    }
    uint32_t begin, end;
    range(action, table->actions, &begin, &end);
    table->stamp++;
    for (uint32_t a = begin; a < end; a++)
        if (!set_column(table, a, state, c, value, line, column))
            return false;
    return true;
}

const asif_pomdp_row *asif_pomdp_get_row(const asif_pomdp_table *table, uint32_t action, uint32_t state) {
    const asif_pomdp_holder *holder = &table->holder[action];
    return &table->row[holder->own && holder->own[state] ? holder->own[state] : holder->base];
}

double asif_pomdp_row_sum(const asif_pomdp_row *row, uint32_t columns) {
    double sum = row->fill * (columns - row->count - (row->self ? 1 : 0)) + (row->self ? 1 : 0);
    for (uint32_t i = 0; i < row->count; i++)
        sum += row->entry[i].value;
    return sum;
}

uint64_t asif_pomdp_row_nonzero(const asif_pomdp_row *row, uint32_t columns) {
    uint64_t count = row->self ? 1 : 0;
    if (row->fill != 0)
        count = columns - row->count;
    for (uint32_t i = 0; i < row->count; i++)
        count += row->entry[i].value != 0;
    return count;
}

double asif_pomdp_row_value(const asif_pomdp_row *row, uint32_t state, uint32_t column) {
    uint32_t low = 0, high = row->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (row->entry[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < row->count && row->entry[low].column == column)
        return row->entry[low].value;
    return row->self && column == state ? 1 : row->fill;
}
