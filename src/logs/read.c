/* Reads a table into a tree. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/problems.h"
#include "logs/courses/course_rows.h"
#include "logs/table/rows.h"

#include <string.h>

/* List an error of the table, which ends the reading, among the problems; return any other error. */
static asif_status take_fatal(asif_reading *r, asif_status status, asif_error *error) {
    if (status == ASIF_OK || status == ASIF_ENOMEM || status == ASIF_EIO || status == ASIF_ENOFILE ||
        status == ASIF_ECANCELLED)
        return status;
    if (asif_reading_wants(r, ASIF_PROBLEM_ERROR))
        asif_reading_list(r, ASIF_PROBLEM_ERROR, status, (asif_place){error->row, error->line, error->column},
                          error->hint, "%s", error->message);
    return ASIF_OK;
}

static asif_status read_rows(asif_reading *r, asif_error *error) {
    bool more = true;
    while (!r->again) {
        asif_status status = r->table->next(r->table, &more, error);
        if (status != ASIF_OK)
            return take_fatal(r, status, error);
        if (r->table->again) {
            r->again = true;
            return ASIF_OK;
        }
        if (!more)
            return asif_rows_end(r, error);
        ASIF_TRY(asif_rows_take(r, error));
    }
    return ASIF_OK;
}

static void say(asif_reading *r, asif_severity severity, asif_place place, const char *hint,
                const char *message) {
    if (asif_reading_wants(r, severity))
        asif_reading_list(r, severity, ASIF_EINVALID, place, hint, "%s", message);
}

/* List the notes and warnings about the whole table. */
static void sum_up(asif_reading *r) {
    static const asif_place nowhere = {0, 0, 0};
    char message[400];
    asif_cells_say(r);
    asif_numbers_say(r);
    asif_rules_say(r);
    asif_lacks_say(r);
    asif_completions_say(r);
    if (r->gap.count) {
        asif_format(message, sizeof message,
                    "time leaps over steps in %llu place%s; the first is from %.15g to %.15g in row %llu",
                    (unsigned long long)r->gap.count, r->gap.count == 1 ? "" : "s", r->gap.from, r->gap.to,
                    (unsigned long long)r->gap.first.row);
        say(r, ASIF_PROBLEM_WARNING, r->gap.first,
            "the rows are taken as following each other; `gaps: cut` ends an episode there, `gaps: refuse` "
            "objects",
            message);
    }
    if (r->impossible.count) {
        asif_format(
            message, sizeof message,
            "%llu transition%s between states that no world of the agent allows; the first leads to row %llu",
            (unsigned long long)r->impossible.count, r->impossible.count == 1 ? " is" : "s are",
            (unsigned long long)r->impossible.first.row);
        say(r, ASIF_PROBLEM_WARNING, r->impossible.first, "are the transitions of the study right?", message);
    }
    if (r->day_first)
        say(r, ASIF_PROBLEM_WARNING, r->day_first_at,
            "write dates as 2019-03-14, or describe them in the study: `date` of the column, under `columns`",
            "times that look like dates are ordered as texts, by their first number");
    if (r->pass == ASIF_PASS_COLLECT) {
        asif_format(
            message, sizeof message,
            "rows of an episode are not together (row %llu goes back to `%s`): sorted by episode and time",
            (unsigned long long)r->back.row, r->back_key);
        say(r, ASIF_PROBLEM_NOTE, r->back, "", message);
    } else if (r->table->ordered && !r->info.sorted) {
        say(r, ASIF_PROBLEM_NOTE, nowhere, "",
            "the rows of the table are not in order: the database sorted them by episode and time");
    } else if (r->unsorted) {
        asif_format(message, sizeof message, "rows of %llu episode%s are not in order of time: sorted",
                    (unsigned long long)r->unsorted, r->unsorted == 1 ? "" : "s");
        say(r, ASIF_PROBLEM_NOTE, nowhere, "", message);
    }
    if (r->subject == ASIF_NO_COLUMN && r->episode == ASIF_NO_COLUMN)
        say(r, ASIF_PROBLEM_WARNING, nowhere,
            "name the column that tells them: episode=COLUMN, or subject=COLUMN",
            "no column tells episodes or subjects: the whole table is one episode");
    if (r->info.rows == 0 && !r->failed)
        say(r, ASIF_PROBLEM_ERROR, (asif_place){0, r->table->line, 0},
            "after the header, write one row for each decision", "the table has no rows");
    else if (r->info.decisions == 0 && !r->failed)
        say(r, ASIF_PROBLEM_ERROR, nowhere, "", "no row is left: all were left out");
}

/* Labels of the tree, and the order of those that were numbered as they arrived. */
typedef struct {
    asif_names names; /* owns the texts, where labels are those of a setting */
    const char **name;
    uint32_t count, *order;
} labelling;

static asif_status make_labels(const asif_reading *r, const asif_coder *coder, labelling *out,
                               asif_error *error) {
    char buffer[ASIF_LABEL_SIZE];
    /* the observations and states of a tree have the values of the columns, too */
    asif_label_kind kind = coder->kind == ASIF_LABEL_SHOWN    ? ASIF_LABEL_OBSERVATION
                           : coder->kind == ASIF_LABEL_HIDDEN ? ASIF_LABEL_STATE
                                                              : coder->kind;
    out->names.context = r->context;
    out->count = r->setting ? asif_setting_count(r->setting, kind) : coder->names.count;
    out->name = ASIF_ARRAY(r->context, out->count, const char *);
    out->order = r->setting ? NULL : ASIF_ARRAY(r->context, out->count, uint32_t);
    if (!out->name || (!r->setting && (!out->order || !asif_names_order(&coder->names, out->order))))
        return asif_fail_memory(error);
    for (uint32_t i = 0; r->setting && i < out->count; i++) {
        const char *label = asif_setting_label(r->setting, kind, i, buffer);
        if (asif_names_add(&out->names, label, strlen(label)) == ASIF_NO_NAME)
            return asif_fail_memory(error);
    }
    for (uint32_t i = 0; i < out->count; i++)
        out->name[r->setting ? i : out->order[i]] =
            asif_names_get(r->setting ? &out->names : &coder->names, i);
    return ASIF_OK;
}

static void free_labels(const asif_context *context, labelling *labels) {
    asif_names_free(&labels->names);
    asif_free(context, labels->name);
    asif_free(context, labels->order);
}

/* Names and covariates of the units, as a tree takes them. */
typedef struct {
    const char **name, **covariate_name, **covariate;
    uint32_t covariates;
    char *order; /* texts of the order of arrival */
} unit_texts;

enum { ORDER_SIZE = 11 }; /* digits of a uint32_t, and the end */

static asif_status make_units(const asif_reading *r, unit_texts *out, asif_error *error) {
    bool ordered = r->options.order && r->options.units != ASIF_UNITS_NONE;
    uint32_t n = r->covariates + ordered;
    out->covariates = n;
    out->name = ASIF_ARRAY(r->context, r->units, const char *);
    out->covariate_name = ASIF_ARRAY(r->context, n, const char *);
    out->covariate = ASIF_ARRAY(r->context, r->units * n, const char *);
    out->order = ordered ? ASIF_ARRAY(r->context, r->units * ORDER_SIZE, char) : NULL;
    if (!out->name || !out->covariate_name || !out->covariate || (ordered && !out->order))
        return asif_fail_memory(error);
    for (uint32_t k = 0; k < n; k++)
        out->covariate_name[k] = k < ordered ? ASIF_COVARIATE_ORDER : r->covariate_name[k - ordered];
    for (uint64_t i = 0; i < r->units; i++) {
        out->name[i] = r->unit_names.data + r->unit_name[i];
        if (ordered) {
            asif_format(out->order + i * ORDER_SIZE, ORDER_SIZE, "%u", r->arrival[i]);
            out->covariate[i * n] = out->order + i * ORDER_SIZE;
        }
        for (uint32_t k = 0; k < r->covariates; k++) {
            uint32_t v = r->value[(uint64_t)r->arrival[i] * r->covariates + k];
            /* Who is not known to belong to a group does not. */
            const char *missing = r->covariate_group[k] == ASIF_ANY ? "" : "no";
            out->covariate[i * n + ordered + k] =
                v == ASIF_CODE_MISSING ? missing : asif_names_get(&r->values, v);
        }
    }
    return ASIF_OK;
}

static void free_units(const asif_context *context, const unit_texts *texts) {
    asif_free(context, texts->name);
    asif_free(context, texts->covariate_name);
    asif_free(context, texts->covariate);
    asif_free(context, texts->order);
}

static asif_status make_tree(asif_tree **out, asif_reading *r, asif_error *error) {
    labelling action = {.count = 0}, seen = {.count = 0};
    unit_texts texts = {0};
    asif_status status = make_labels(r, &r->action, &action, error);
    if (status == ASIF_OK)
        status = make_labels(r, &r->seen, &seen, error);
    if (status == ASIF_OK)
        status = make_units(r, &texts, error);
    if (status == ASIF_OK) {
        asif_tree_labels labels = {action.count, seen.count, action.name, seen.name};
        asif_tree_units units = {r->units, texts.name, texts.covariates, texts.covariate_name,
                                 texts.covariate};
        asif_tree_builder *builder = r->builder;
        r->builder = NULL;
        status = asif_tree_finish(out, builder, &labels, action.order, seen.order,
                                  r->options.units == ASIF_UNITS_NONE ? NULL : &units, &r->info, error);
    }
    free_units(r->context, &texts);
    action.names.context = seen.names.context = r->context;
    free_labels(r->context, &action);
    free_labels(r->context, &seen);
    return status;
}

/* Tell the source by which columns rows are collected. */
static void tell_keys(asif_reading *r) {
    const uint32_t keys[] = {r->subject, r->episode, r->time};
    r->table->keys = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i] != ASIF_NO_COLUMN)
            r->table->key[r->table->keys++] = keys[i];
    r->table->timed = r->time != ASIF_NO_COLUMN;
}

/* Tell the source which texts the columns of labels should have. */
static void tell_expected(asif_reading *r) {
    const asif_coder *const coders[] = {&r->action, &r->seen, &r->start, &r->label};
    if (!r->table->expected)
        return;
    memset(r->table->expected, 0, r->table->cells * sizeof *r->table->expected);
    if (r->cells_change || r->pass == ASIF_PASS_SELECT || r->pass == ASIF_PASS_MEASURE)
        return;
    for (size_t c = 0; c < sizeof coders / sizeof *coders; c++)
        for (uint32_t i = 0; i < coders[c]->parts && !coders[c]->open; i++) {
            const struct asif_coder_part *part = &coders[c]->part[i];
            if (part->map && part->map->labels && !part->map->cuts)
                r->table->expected[part->column] = &part->from;
            else if (coders[c]->parts == 1 && !(part->map && (part->map->cuts || part->map->present)))
                r->table->expected[part->column] = &coders[c]->names;
        }
}

/* If the table, whose header is read, holds courses: read the rows that they stand for instead. */
static asif_status find_courses(asif_reading *r, asif_error *error) {
    ASIF_TRY(asif_course_rows_make(r->courses, r->context, r->table, r->file, r->map, &r->options, error));
    if (!*r->courses)
        return ASIF_OK;
    r->table = asif_course_rows_source(*r->courses);
    r->map = asif_course_rows_map(*r->courses);
    return r->table->begin(r->table, error);
}

/* Make one pass over the table. It ends with a tree, with problems, or with r->again set, if another pass is
 * needed. */
static asif_status run_pass(asif_tree **out, asif_reading *r, asif_error *error) {
    ASIF_TRY(asif_reading_begin(r, error));
    asif_status status = r->table->begin(r->table, error);
    if (status == ASIF_OK && !*r->courses)
        status = find_courses(r, error);
    r->measured = 0;
    if (status == ASIF_OK)
        status = asif_reading_bind(r, error);
    if (status == ASIF_OK)
        status = asif_cells_bind(r, error);
    if (status == ASIF_OK)
        status = asif_places_bind(r, error);
    if (status != ASIF_OK)
        return take_fatal(r, status, error);
    tell_keys(r);
    tell_expected(r);
    asif_rows_begin(r);
    r->info.states_seen = r->states_seen;
    uint32_t starts = r->setting ? asif_setting_get(r->setting)->starts : 1;
    ASIF_TRY(asif_tree_begin(&r->builder, r->context, starts, r->states_seen, error));
    if (r->label.parts)
        asif_tree_labelled(r->builder, asif_setting_get(r->setting)->states);
    ASIF_TRY(read_rows(r, error));
    if (r->again)
        return ASIF_OK;
    if (r->table->subjects)
        r->info.subjects = r->table->subjects;
    sum_up(r);
    if (r->failed)
        return ASIF_OK;
    if (r->options.rows) {
        ASIF_TRY(asif_text_finish(r->options.rows, &r->rows, error));
        r->rows = (asif_text){.context = r->context};
    }
    return make_tree(out, r, error);
}

/* Add the problems of the pass to those of the caller; problems beyond the limit of a pass are only
 * counted. */
static asif_status hand_over(const asif_reading *r, asif_problems *problems, asif_error *error) {
    asif_status first = ASIF_OK;
    uint64_t kept[3] = {0, 0, 0};
    const asif_error *problem = NULL;
    asif_severity severity = ASIF_PROBLEM_ERROR;
    for (uint32_t i = 0; (problem = asif_problems_get(r->problems, i, &severity)); i++) {
        if (severity == ASIF_PROBLEM_ERROR && first == ASIF_OK) {
            first = problem->status;
            if (error)
                *error = *problem;
        }
        kept[severity] += asif_problems_times(r->problems, i, NULL);
        asif_problems_take(problems, r->problems, i);
    }
    for (uint32_t s = 0; s < 3; s++) {
        asif_error more = ASIF_ERROR_INIT;
        asif_fail(&more, s == ASIF_PROBLEM_ERROR ? ASIF_EPARSE : ASIF_OK,
                  "a further problem (only %d different ones are described)", (int)ASIF_KEPT);
        asif_error_at(&more, r->file, 0, 0);
        for (uint64_t i = kept[s]; problems && i < r->found[s]; i++)
            asif_problems_add(problems, (asif_severity)s, &more);
    }
    if (first == ASIF_OK && r->found[ASIF_PROBLEM_ERROR] > 0)
        first = asif_fail_memory(error); /* memory ran out while an error was recorded */
    return first;
}

/* Prepare the passes that come first: one that measures columns, if cuts are computed from some, and before
 * it one that finds the episodes that conditions select. */
static asif_status prepare_passes(asif_reading *r, asif_part *part, asif_error *error) {
    for (uint32_t i = 0; i < ASIF_ROLE_COUNT; i++)
        for (uint32_t k = 0; k < r->map->role[i].columns; k++)
            r->measures += r->map->role[i].column[k].spread > 0;
    if (r->measures) {
        r->pass = ASIF_PASS_MEASURE;
        r->measure = ASIF_ARRAY(r->context, r->measures, asif_measure);
        if (!r->measure)
            return asif_fail_memory(error);
    }
    if (r->options.wheres) {
        r->pass = ASIF_PASS_SELECT;
        r->part = part;
    }
    return ASIF_OK;
}

asif_logs_options asif_reading_options(const asif_logs_options *options) {
    asif_logs_options given = ASIF_LOGS_OPTIONS_INIT;
    if (options)
        memcpy(&given, options, options->struct_size < sizeof given ? options->struct_size : sizeof given);
    return given;
}

asif_status asif_reading_table(asif_tree **out, const asif_context *context, asif_row_source *table,
                               const char *name, const asif_logs_options *options, asif_logs_info *info,
                               asif_problems *problems, asif_error *error) {
    asif_log_map *defaults = NULL;
    asif_course_rows *courses = NULL;
    asif_error fault = ASIF_ERROR_INIT;
    asif_part part = {
        .keys.context = context, .values.context = context, .key.context = context, .chosen = NULL};
    char separator = options->separator;
    asif_status status = ASIF_OK;
    if (separator == '"' || separator == '\n' || separator == '\r')
        status = asif_fail(&fault, ASIF_EDOMAIN, "a quote or a line break cannot separate cells");
    else if (!options->map)
        status = asif_log_map_create(&defaults, context, &fault);
    asif_reading r = {.context = context,
                      .file = name,
                      .table = table,
                      .map = options->map ? options->map : defaults,
                      .setting = options->setting,
                      .options = *options,
                      .courses = &courses};
    if (options->rows)
        *options->rows = NULL;
    if (status == ASIF_OK)
        status = prepare_passes(&r, &part, &fault);
    const asif_reading fresh = r;
    while (status == ASIF_OK) {
        status = run_pass(out, &r, &fault);
        if (status != ASIF_OK || !r.again)
            break;
        asif_reading next = fresh;
        next.pass = r.pass;
        next.table = r.table;
        next.map = r.map;
        next.back = r.back;
        memcpy(next.back_key, r.back_key, sizeof next.back_key);
        asif_reading_end(&r);
        r = next;
    }
    if (status == ASIF_OK) {
        status = hand_over(&r, problems, error);
    } else {
        if (!fault.file[0])
            asif_error_at(&fault, name, fault.line, fault.column);
        asif_problems_add(problems, ASIF_PROBLEM_ERROR, &fault);
        if (error)
            *error = fault;
    }
    if (info) {
        *info = r.info;
        if (*out)
            *info = *asif_tree_info(*out);
    }
    asif_reading_end(&r);
    asif_part_free(context, &part);
    asif_free(context, fresh.measure);
    asif_course_rows_free(courses);
    asif_log_map_free(defaults);
    return status;
}

asif_status asif_logs_read_text(asif_tree **out, const asif_context *context, const char *text,
                                uint64_t length, const char *name, const asif_logs_options *options,
                                asif_logs_info *info, asif_problems *problems, asif_error *error) {
    asif_logs_options given = asif_reading_options(options);
    asif_csv_rows table;
    *out = NULL;
    asif_csv_rows_init(&table, context, name, given.separator);
    table.text = text ? text : "";
    table.length = length;
    asif_status status = asif_reading_table(out, context, &table.rows, name, &given, info, problems, error);
    asif_csv_rows_end(&table);
    return status;
}

/* Keep input that can be read only once, because another pass may be needed. */
static asif_status keep_input(asif_csv_rows *table, asif_text *all, asif_error *error) {
    uint64_t got = 1;
    char *piece = asif_alloc(table->context, 1 << 16, 1);
    asif_status status = piece ? ASIF_OK : asif_fail_memory(error);
    while (status == ASIF_OK && got) {
        status = asif_os_read(&table->stream, piece, 1 << 16, &got, error);
        if (status == ASIF_OK)
            asif_text_add_n(all, piece, got);
        if (status == ASIF_OK && all->failed)
            status = asif_fail_memory(error);
    }
    asif_free(table->context, piece);
    table->text = all->data;
    table->length = all->length;
    return status;
}

asif_status asif_logs_read(asif_tree **out, const asif_context *context, const char *path,
                           const asif_logs_options *options, asif_logs_info *info, asif_problems *problems,
                           asif_error *error) {
    *out = NULL;
    if (!path)
        return asif_fail_null(error, "path");
    asif_logs_options given = asif_reading_options(options);
    asif_csv_rows table;
    asif_text all = {.context = context};
    asif_error fault = ASIF_ERROR_INIT;
    asif_csv_rows_init(&table, context, strcmp(path, "-") == 0 ? "standard input" : path, given.separator);
    asif_status status = asif_os_open(&table.stream, path, &fault);
    if (status == ASIF_OK && !table.stream.seekable)
        status = keep_input(&table, &all, &fault);
    if (status == ASIF_OK) {
        status = asif_reading_table(out, context, &table.rows, table.name, &given, info, problems, error);
    } else {
        asif_problems_add(problems, ASIF_PROBLEM_ERROR, &fault);
        if (error)
            *error = fault;
    }
    asif_csv_rows_end(&table);
    asif_os_close(&table.stream);
    asif_text_free(&all);
    return status;
}
