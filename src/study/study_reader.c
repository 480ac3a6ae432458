/* Functions that every section of a study needs: memory, problems, tables of keys, numbers, labels and
 * distributions. */
#include "study/study_reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define MOST_MEMORY                                                                                          \
    536870912U /* limit in bytes for a study written by hand; larger problems are in files of their own */
#define ROW_TOLERANCE 1e-5 /* as in asif_setting_create() */

struct asif_block {
    asif_block *next;
    max_align_t memory[];
};

void *asif_reader_alloc(asif_reader *draft, uint64_t count, size_t size) {
    if (draft->stop)
        return NULL;
    if (count > MOST_MEMORY / size || (draft->used += count * size) > MOST_MEMORY) {
        asif_reader_error(draft, NULL, "the problem is too large to be written in a study file");
        asif_reader_hint(draft, "give it in a file of its own: `environment: {mdp: FILE}`");
        draft->stop = true;
        return NULL;
    }
    asif_block *block = asif_alloc(draft->context, 1, sizeof *block + (size_t)count * size);
    if (!block) {
        asif_reader_no_memory(draft);
        return NULL;
    }
    block->next = draft->blocks;
    draft->blocks = block;
    return block->memory;
}

bool asif_reader_grow(asif_reader *draft, void *array, uint64_t count, uint64_t *room, size_t size) {
    if (count < *room)
        return true;
    void *old = NULL, *new = asif_reader_alloc(draft, *room ? *room * 2 : 16, size);
    if (!new)
        return false;
    memcpy(&old, array, sizeof old);
    if (count)
        memcpy(new, old, (size_t)count * size);
    memcpy(array, &new, sizeof new);
    *room = *room ? *room * 2 : 16;
    return true;
}

void asif_reader_free(asif_reader *draft) {
    for (asif_block *block = draft->blocks, *next; block; block = next) {
        next = block->next;
        asif_free(draft->context, block);
    }
    draft->blocks = NULL;
    asif_setting_free(draft->from_file);
    asif_log_map_free(draft->logs);
    draft->from_file = NULL;
    draft->logs = NULL;
}

/* Whether the current problem is in the list: what conditions share is read once for each of them. */
static bool is_listed(const asif_reader *draft) {
    const asif_error *now = &draft->current, *other = NULL;
    for (uint32_t i = draft->listed;
         draft->before && draft->problems && (other = asif_problems_get(draft->problems, i, NULL)); i++)
        if (other->line == now->line && other->column == now->column &&
            strcmp(other->message, now->message) == 0)
            return true;
    return false;
}

void asif_reader_flush(asif_reader *draft) {
    if (!draft->pending)
        return;
    if (!is_listed(draft))
        asif_problems_insert(draft->problems, draft->listed, draft->severity, &draft->current, draft->line,
                             draft->column);
    if (draft->severity == ASIF_PROBLEM_ERROR &&
        (draft->first.status == ASIF_OK ||
         asif_place_before(draft->line, draft->column, draft->first_line, draft->first_column))) {
        draft->first = draft->current;
        draft->first_line = draft->line;
        draft->first_column = draft->column;
    }
    draft->pending = false;
}

static void set_place(asif_reader *draft, const asif_yaml *at) {
    draft->line = at ? at->line : 1;
    draft->column = at ? at->column : 1;
}

bool asif_reader_problem(asif_reader *draft, asif_severity severity, asif_status status, const asif_yaml *at,
                         const char *format, ...) {
    if (draft->stop)
        return false;
    asif_reader_flush(draft);
    char message[sizeof draft->current.message];
    va_list args;
    va_start(args, format);
    asif_os_vsnprintf(message, sizeof message, format, args);
    va_end(args);
    asif_fail(&draft->current, severity == ASIF_PROBLEM_ERROR ? status : ASIF_OK, "%s", message);
    set_place(draft, at);
    asif_error_at(&draft->current, draft->file, draft->line, draft->column);
    draft->severity = severity;
    draft->pending = true;
    return false;
}

bool asif_reader_hint(asif_reader *draft, const char *format, ...) {
    if (draft->stop || !draft->pending)
        return false;
    char hint[sizeof draft->current.hint];
    va_list args;
    va_start(args, format);
    asif_os_vsnprintf(hint, sizeof hint, format, args);
    va_end(args);
    asif_error_hint(&draft->current, "%s", hint);
    return false;
}

bool asif_reader_no_memory(asif_reader *draft) {
    if (draft->stop)
        return false;
    asif_reader_flush(draft);
    asif_fail_memory(&draft->first);
    asif_problems_insert(draft->problems, draft->listed, ASIF_PROBLEM_ERROR, &draft->first, 0, 0);
    draft->stop = true;
    return false;
}

bool asif_reader_pass_on(asif_reader *draft, const asif_yaml *at, const asif_error *error) {
    if (error->status == ASIF_ENOMEM)
        return asif_reader_no_memory(draft);
    if (draft->stop)
        return false;
    asif_reader_flush(draft);
    draft->current = *error;
    set_place(draft, at);
    if (!error->file[0])
        asif_error_at(&draft->current, draft->file, draft->line, draft->column);
    draft->severity = ASIF_PROBLEM_ERROR;
    draft->pending = true;
    return false;
}

asif_shown asif_show_number(double number) {
    asif_shown shown;
    asif_format(shown.text, sizeof shown.text, "%.7g", number);
    return shown;
}

asif_shown asif_show_label(const asif_labels *labels, uint32_t i) {
    asif_shown shown;
    if (labels->name)
        return asif_show(labels->name[i]);
    asif_format(shown.text, sizeof shown.text, "%u", i);
    return shown;
}

static void list_one(asif_listed *listed, size_t *length, const char *word, bool last) {
    size_t room = sizeof listed->text - *length;
    if (room < 80)
        return;
    const char *before = *length == 0 ? "" : last ? " or " : ", ";
    int added = asif_format(listed->text + *length, room, "%s`%s`", before, asif_show(word).text);
    *length += added > 0 ? (size_t)added : 0;
    if (!last && sizeof listed->text - *length < 80)
        asif_format(listed->text + *length, sizeof listed->text - *length, ", ...");
}

asif_listed asif_list_labels(const asif_labels *labels) {
    asif_listed listed = {""};
    size_t length = 0;
    if (!labels->name) {
        asif_format(listed.text, sizeof listed.text, "the numbers from 0 to %u", labels->count - 1);
        return listed;
    }
    for (uint32_t i = 0; i < labels->count; i++)
        list_one(&listed, &length, labels->name[i], i + 1 == labels->count);
    return listed;
}

/* Keys that people look for in the wrong place, and where they belong. */
static const struct {
    const char *key, *home;
} homes[] = {
    {"alpha", "agent: parameters"},
    {"beta", "agent: parameters"},
    {"eta", "agent: parameters"},
    {"optimism", "agent: parameters"},
    {"act_alpha", "agent: parameters"},
    {"parameters", "agent"},
    {"planner", "agent"},
    {"preset", "agent"},
    {"discount", "agent"},
    {"gamma", "agent (as `discount`)"},
    {"worlds", "agent"},
    {"utility", "agent"},
    {"reward", "agent (as `utility`)"},
    {"rewards", "agent (as `utility`)"},
    {"utilities", "agent (as `utility`)"},
    {"action_prior", "agent"},
    {"means", "agent"},
    {"belief_prior", "agent"},
    {"transitions", "environment"},
    {"emissions", "environment"},
    {"start", "environment"},
    {"ends", "environment"},
    {"terminal", "environment"},
    {"reset", "environment"},
    {"horizon", "environment"},
    {"pomdp", "environment"},
    {"mdp", "environment"},
    {"resolution", "solver"},
    {"beliefs", "solver"},
    {"lattice_error", "solver"},
    {"tol", "solver"},
    {"max_backups", "solver"},
    {"time_limit", "solver"},
    {"memory", "solver"},
    {"states", "the top of the file"},
    {"actions", "the top of the file"},
    {"observations", "the top of the file"},
    {"title", "the top of the file"},
    {"solver", "the top of the file"},
    {"logs", "the top of the file"},
    {"inverse", "the top of the file"},
    {"caveat", "the top of the file"},
    {"agent", "the top of the file"},
    {"environment", "the top of the file"},
    {"subject", "logs"},
    {"episode", "logs"},
    {"observes", "logs"},
    {"missing", "logs"},
    {"gaps", "logs"},
    {"initial_observation", "logs"},
};

/* Features that people may look for and asif does not have. */
static const struct {
    const char *key, *why;
} refused[] = {
    {"action_mask",
     "write `available` under `environment`: which actions can be taken, by a seen part of the state"},
    {"mask", "every action can be taken in every row: masks are not supported"},
    {"available",
     "`available` belongs under `environment`: which actions can be taken, by a seen part of the state"},
    {"interval", "all steps last equally long: irregular time is not supported"},
    {"duration", "all steps last equally long: irregular time is not supported"},
    {"drift", "the task stays the same over the logs: drifting tasks are not supported"},
    {"recognition",
     "beliefs follow the mean update over the worlds; a mixture would need a sum over hidden paths"},
};

static void unknown_key(asif_reader *draft, const asif_yaml *key, const char *section,
                        const asif_study_key *keys, uint32_t count) {
    const char *names[64];
    uint32_t n = 0;
    for (; n < count && n < 64; n++)
        names[n] = keys[n].name;
    asif_reader_parse_error(draft, key, "unknown key `%s`%s%s%s", asif_show(key->text).text,
                            section ? " in `" : "", section ? section : "", section ? "`" : "");
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        if (strcmp(key->text, homes[i].key) == 0 && (!section || strcmp(section, homes[i].home) != 0)) {
            asif_reader_hint(draft, "`%s` belongs under %s", key->text, homes[i].home);
            return;
        }
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (strcmp(key->text, refused[i].key) == 0) {
            asif_reader_hint(draft, "%s", refused[i].why);
            return;
        }
    }
    const char *near = asif_nearest_word(key->text, names, n);
    if (near) {
        asif_reader_hint(draft, "did you mean `%s`?", near);
        return;
    }
    asif_labels labels = {"key", n, names};
    asif_reader_hint(draft, "the keys here are %s", asif_list_labels(&labels).text);
}

bool asif_reader_keys(asif_reader *draft, const asif_yaml *map, const char *section,
                      const asif_study_key *keys, uint32_t count) {
    char what[64];
    asif_format(what, sizeof what, "`%s`", section ? section : "study");
    if (!asif_reader_kind(draft, map, ASIF_YAML_MAP, section ? what : "a study"))
        return false;
    bool good = true;
    for (uint32_t i = 0; i < map->count; i++) {
        uint32_t k = 0;
        while (k < count && strcmp(map->key[i]->text, keys[k].name) != 0)
            k++;
        if (k == count) {
            unknown_key(draft, map->key[i], section, keys, count);
            good = false;
        }
    }
    return good;
}

bool asif_reader_misspelt(const asif_yaml *map, const char *key, const asif_study_key *keys, uint32_t count) {
    if (map->kind != ASIF_YAML_MAP || asif_yaml_get(map, key))
        return false;
    for (uint32_t i = 0; i < map->count; i++) {
        const char *word = map->key[i]->text;
        uint32_t k = 0;
        while (k < count && strcmp(word, keys[k].name) != 0)
            k++;
        if (k == count && asif_nearest_word(word, &key, 1))
            return true;
    }
    return false;
}

void asif_reader_values(asif_reader *draft, const asif_yaml *map, const asif_study_key *keys,
                        uint32_t count) {
    for (uint32_t k = 0; k < count && !draft->stop; k++) {
        const asif_yaml *value = keys[k].read ? asif_yaml_get(map, keys[k].name) : NULL;
        if (value)
            keys[k].read(draft, value);
    }
}

bool asif_reader_section(asif_reader *draft, const asif_yaml *map, const char *section,
                         const asif_study_key *keys, uint32_t count) {
    bool good = asif_reader_keys(draft, map, section, keys, count);
    asif_reader_values(draft, map, keys, count);
    return good;
}

bool asif_reader_is(const asif_yaml *node, const char *word) {
    return node->kind == ASIF_YAML_SCALAR && !node->quoted && strcmp(node->text, word) == 0;
}

bool asif_reader_kind(asif_reader *draft, const asif_yaml *node, asif_yaml_kind kind, const char *what) {
    if (node->kind == kind && (kind != ASIF_YAML_SCALAR || node->quoted || node->text[0]))
        return true;
    bool empty = node->kind == ASIF_YAML_SCALAR && !node->quoted && !node->text[0];
    return asif_reader_parse_error(draft, node, "%s must be %s, not %s", what, asif_yaml_kind_name(kind),
                                   empty ? "empty" : asif_yaml_kind_name(node->kind));
}

static bool all_of(const char *text, const char *allowed) {
    return text[0] && text[strspn(text, allowed)] == 0;
}

bool asif_reader_number(asif_reader *draft, const asif_yaml *node, const char *what, double *out) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, what))
        return false;
    const char *t = node->text;
    if (!node->quoted && asif_number_read(t, strlen(t), out))
        return true;
    asif_reader_parse_error(draft, node, "%s must be a number, not `%s`", what, asif_show(t).text);
    if (node->quoted && asif_number_read(t, strlen(t), out))
        return asif_reader_hint(draft, "remove the quotes");
    if (all_of(t, "0123456789.+- %") && strchr(t, '%'))
        return asif_reader_hint(draft, "write a percentage as a fraction: 70 %% is 0.7");
    if (all_of(t, "0123456789,+-") && strchr(t, ','))
        return asif_reader_hint(draft, "write decimals with a point: 0.7");
    if (all_of(t, "0123456789./ ") && strchr(t, '/'))
        return asif_reader_hint(draft, "write the quotient as a decimal: 1/4 is 0.25");
    return false;
}

bool asif_reader_probability(asif_reader *draft, const asif_yaml *node, const char *what, double *out) {
    if (!asif_reader_number(draft, node, what, out))
        return false;
    if (*out >= 0 && *out <= 1)
        return true;
    asif_reader_error(draft, node, "%s must be a probability, not %s", what, asif_show(node->text).text);
    if (*out > 1 && *out <= 100)
        return asif_reader_hint(draft, "probabilities are between 0 and 1: 70 %% is 0.7");
    return asif_reader_hint(draft, "probabilities are between 0 and 1");
}

bool asif_reader_choice(asif_reader *draft, const asif_yaml *node, const char *what,
                        const char *const *choices, uint32_t count, uint32_t *out) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, what))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(node->text, choices[i]) == 0) {
            *out = i;
            return true;
        }
    }
    asif_labels labels = {what, count, choices};
    asif_reader_parse_error(draft, node, "%s cannot be `%s`", what, asif_show(node->text).text);
    const char *near = asif_nearest_word(node->text, choices, count);
    return near ? asif_reader_hint(draft, "did you mean `%s`?", near)
                : asif_reader_hint(draft, "it is %s", asif_list_labels(&labels).text);
}

uint32_t asif_labels_find(const asif_labels *labels, const char *label) {
    for (uint32_t i = 0; labels->name && i < labels->count; i++)
        if (strcmp(labels->name[i], label) == 0)
            return i;
    double number = -1;
    if (labels->name || label[strspn(label, "0123456789")] ||
        !asif_number_read(label, strlen(label), &number))
        return ASIF_ANY;
    return number < labels->count ? (uint32_t)number : ASIF_ANY;
}

bool asif_reader_label(asif_reader *draft, const asif_yaml *node, const asif_labels *labels, uint32_t *out) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, labels->what))
        return false;
    *out = asif_labels_find(labels, node->text);
    if (*out != ASIF_ANY)
        return true;
    asif_reader_error(draft, node, "there is no %s `%s`", labels->what, asif_show(node->text).text);
    const char *near = labels->name ? asif_nearest_word(node->text, labels->name, labels->count) : NULL;
    return near ? asif_reader_hint(draft, "did you mean `%s`?", asif_show(near).text)
                : asif_reader_hint(draft, "the %ss are %s", labels->what, asif_list_labels(labels).text);
}

bool asif_reader_marks(asif_reader *draft, const asif_yaml *node, const asif_labels *labels, const char *what,
                       bool *out) {
    uint32_t i = 0;
    if (node->kind == ASIF_YAML_SCALAR && node->text[0]) {
        if (!asif_reader_label(draft, node, labels, &i))
            return false;
        return out[i] = true;
    }
    if (!asif_reader_kind(draft, node, ASIF_YAML_LIST, what))
        return false;
    bool good = true;
    for (uint32_t k = 0; k < node->count; k++) {
        if (!asif_reader_label(draft, node->item[k], labels, &i))
            good = false;
        else if (out[i])
            good = asif_reader_error(draft, node->item[k], "`%s` stands twice in %s",
                                     asif_show_label(labels, i).text, what);
        else
            out[i] = true;
    }
    return good;
}

/* Numbers written with decimal commas are read as twice as many whole numbers. */
static bool decimal_commas(const asif_yaml *list, uint32_t expected) {
    if (list->count != 2 * (uint64_t)expected)
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i]->kind != ASIF_YAML_SCALAR || !all_of(list->item[i]->text, "0123456789"))
            return false;
    return true;
}

static bool distribution_list(asif_reader *draft, const asif_yaml *node, const asif_labels *labels,
                              const char *what, double *out) {
    if (node->count != labels->count) {
        asif_reader_error(draft, node, "%s has %u number%s, but there are %u %ss", what, node->count,
                          node->count == 1 ? "" : "s", labels->count, labels->what);
        if (decimal_commas(node, labels->count))
            return asif_reader_hint(draft, "write decimals with a point: 0.7, not 0,7");
        return asif_reader_hint(draft, "give one number for each of %s", asif_list_labels(labels).text);
    }
    bool good = true;
    for (uint32_t i = 0; i < node->count; i++)
        if (!asif_reader_probability(draft, node->item[i], what, &out[i]))
            good = false;
    return good;
}

bool asif_reader_distribution(asif_reader *draft, const asif_yaml *node, const asif_labels *labels,
                              const char *what, double *out) {
    bool good = true;
    uint32_t at = 0;
    for (uint32_t i = 0; i < labels->count; i++)
        out[i] = asif_reader_is(node, "uniform") ? 1.0 / labels->count : 0;
    if (asif_reader_is(node, "uniform"))
        return true;
    if (node->kind == ASIF_YAML_SCALAR) {
        double number = 0;
        if (!node->text[0])
            return asif_reader_parse_error(draft, node, "%s is empty", what);
        if (asif_labels_find(labels, node->text) == ASIF_ANY &&
            asif_number_read(node->text, strlen(node->text), &number)) {
            asif_reader_parse_error(draft, node, "%s is a single number, `%s`", what,
                                    asif_show(node->text).text);
            return asif_reader_hint(draft, "give a list with one number for each %s", labels->what);
        }
        if (!asif_reader_label(draft, node, labels, &at))
            return false;
        out[at] = 1;
        return true;
    }
    if (node->kind == ASIF_YAML_LIST)
        good = distribution_list(draft, node, labels, what, out);
    for (uint32_t i = 0; node->kind == ASIF_YAML_MAP && i < node->count; i++) {
        double p = 0;
        if (asif_reader_label(draft, node->key[i], labels, &at) &&
            asif_reader_probability(draft, node->item[i], what, &p))
            out[at] = p;
        else
            good = false;
    }
    if (!good)
        return false;
    double sum = 0;
    for (uint32_t i = 0; i < labels->count; i++)
        sum += out[i];
    if (fabs(sum - 1) <= ROW_TOLERANCE)
        return true;
    asif_reader_error(draft, node, "%s sums to %s, not 1", what, asif_show_number(sum).text);
    return asif_reader_hint(draft, "probabilities of all %ss must sum to 1 (within 0.00001)", labels->what);
}

const char *asif_reader_name_here(const asif_reader *draft, const char *name) {
    for (uint64_t i = 0; i < draft->by_names; i++)
        if (strcmp(draft->by_name[i].name, name) == 0)
            return draft->by_name[i].here;
    return name;
}

asif_reader_parameter *asif_reader_find_parameter(asif_reader *draft, const char *name) {
    name = asif_reader_name_here(draft, name);
    for (uint64_t i = 0; i < draft->parameters; i++)
        if (strcmp(draft->parameter[i].name, name) == 0)
            return &draft->parameter[i];
    return NULL;
}

bool asif_reader_add_term(asif_reader *draft, const asif_utility_term *term) {
    if (!asif_reader_grow(draft, &draft->term, draft->terms, &draft->term_room, sizeof *draft->term))
        return false;
    draft->term[draft->terms++] = *term;
    return true;
}
