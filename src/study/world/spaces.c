/* The spaces of states, actions and observations. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define MOST_LABELS 10000 /* limit of a space written by hand; larger problems are in files of their own */
#define MOST_COLUMNS 16   /* columns of observations that are crossed */

static bool too_many(asif_reader *draft, const asif_yaml *node, const char *what) {
    asif_reader_error(draft, node, "more than %d %ss are too many for a study file", MOST_LABELS, what);
    return asif_reader_hint(draft, "give the problem in a file of its own: `environment: {mdp: FILE}`");
}

static bool read_count(asif_reader *draft, const asif_yaml *node, const char *what, asif_labels *labels) {
    double count = 0;
    if (node->quoted || !asif_number_read(node->text, strlen(node->text), &count)) {
        asif_reader_parse_error(draft, node, "`%ss` must be a list of labels or their number, not `%s`", what,
                                asif_show(node->text).text);
        return asif_reader_hint(draft, "write a list in brackets: [%s, ...]", asif_show(node->text).text);
    }
    if (!(count >= 1 && count == floor(count)))
        return asif_reader_error(draft, node, "the number of %ss must be a whole number from 1 on, not %s",
                                 what, asif_show(node->text).text);
    if (count > MOST_LABELS)
        return too_many(draft, node, what);
    labels->count = (uint32_t)count;
    return true;
}

static bool read_label(asif_reader *draft, const asif_yaml *node, const char *what, const char **names,
                       uint32_t i) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "a label"))
        return false;
    names[i] = node->text;
    if (!node->text[0])
        return asif_reader_error(draft, node, "a label of %s %s is empty", strchr("sv", what[0]) ? "a" : "an",
                                 what);
    for (const char *c = node->text; *c; c++)
        if ((unsigned char)*c < ' ')
            return asif_reader_error(draft, node,
                                     "a label holds a control character (a line break or a tab)");
    if (strcmp(node->text, "any") == 0) {
        asif_reader_error(draft, node, "`any` cannot be the label of %s %s",
                          strchr("sv", what[0]) ? "a" : "an", what);
        return asif_reader_hint(draft, "in a study, `any` stands for all those that are not named");
    }
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(names[k], node->text) == 0)
            return asif_reader_error(draft, node, "the label `%s` is given to two %ss",
                                     asif_show(node->text).text, what);
    return true;
}

void asif_reader_space(asif_reader *draft, const asif_yaml *node, const char *what, asif_labels *labels) {
    labels->what = what;
    if (node->kind == ASIF_YAML_SCALAR) {
        if (node->text[0])
            read_count(draft, node, what, labels);
        else
            asif_reader_parse_error(draft, node, "`%ss` is empty", what);
        return;
    }
    if (node->kind == ASIF_YAML_MAP) {
        asif_reader_parse_error(draft, node, "`%ss` must be a list of labels, not a mapping", what);
        asif_reader_hint(draft, "write a list in brackets: [a, b]%s",
                         strcmp(what, "state") == 0
                             ? ", or a seen and a hidden part: {seen: {NAME: [...]}, hidden: {NAME: [...]}}"
                             : "");
        return;
    }
    if (node->count == 0) {
        asif_reader_error(draft, node, "there must be at least one %s", what);
        if (strcmp(what, "observation") == 0)
            asif_reader_hint(draft, "leave `observations` out if the agent sees the state");
        return;
    }
    if (node->count > MOST_LABELS) {
        too_many(draft, node, what);
        return;
    }
    const char **names = asif_reader_alloc(draft, node->count, sizeof *names);
    bool good = names != NULL;
    for (uint32_t i = 0; names && i < node->count; i++) {
        names[i] = "";
        if (!read_label(draft, node->item[i], what, names, i))
            good = false;
    }
    if (good) {
        labels->name = names;
        labels->count = node->count;
    }
}

bool asif_reader_given_by_file(asif_reader *draft, const asif_yaml *node, const char *key) {
    if (!draft->file_at || !draft->from_file)
        return draft->file_at;
    asif_reader_error(draft, node, "`%s` is given by the file that `environment` names", key);
    asif_reader_hint(draft, "remove `%s` here, or write the whole problem in the study", key);
    return true;
}

void asif_reader_read_states(asif_reader *draft, const asif_yaml *node) {
    if (!asif_reader_given_by_file(draft, node, "states"))
        asif_reader_space(draft, node, "state", &draft->states);
}

void asif_reader_read_actions(asif_reader *draft, const asif_yaml *node) {
    if (!asif_reader_given_by_file(draft, node, "actions"))
        asif_reader_space(draft, node, "action", &draft->actions);
}

/* Read the classes of one column of crossed observations. */
static bool read_column(asif_reader *draft, const asif_yaml *key, const asif_yaml *node,
                        asif_observation_column *out) {
    asif_labels classes = {0};
    if (strcmp(key->text, "column") == 0 || strcmp(key->text, "any") == 0 || !key->text[0])
        return asif_reader_error(draft, key, "a column of observations cannot be called `%s`", key->text);
    asif_reader_space(draft, node, "observation", &classes);
    for (uint32_t i = 0; classes.name && i < classes.count; i++) {
        if (!strchr(classes.name[i], '/'))
            continue;
        asif_reader_error(draft, node->item[i], "a class of crossed observations has a `/` in its label `%s`",
                          asif_show(classes.name[i]).text);
        return asif_reader_hint(draft, "`/` joins the classes of the columns: choose another character");
    }
    *out = (asif_observation_column){key->text, classes.count, classes.name};
    return classes.count > 0;
}

/* Make the label of an observation from those of its classes, joined by `/`. */
static const char *join_classes(asif_reader *draft, const asif_observation_column *column, uint32_t columns,
                                uint32_t observation) {
    uint32_t of[MOST_COLUMNS];
    char number[MOST_COLUMNS][16];
    const char *label[MOST_COLUMNS];
    uint64_t length = 0;
    for (uint32_t c = columns; c-- > 0; observation /= column[c].classes) {
        of[c] = observation % column[c].classes;
        asif_format(number[c], sizeof number[c], "%u", of[c]);
        label[c] = column[c].class_names ? column[c].class_names[of[c]] : number[c];
        length += strlen(label[c]) + 1;
    }
    char *joined = asif_reader_alloc(draft, length, 1), *end = joined;
    for (uint32_t c = 0; joined && c < columns; c++) {
        size_t n = strlen(label[c]);
        memcpy(end, label[c], n);
        end[n] = c + 1 < columns ? '/' : 0;
        end += n + 1;
    }
    return joined;
}

/* Read observations that are columns crossed by name; the first column varies slowest. */
static void read_crossed(asif_reader *draft, const asif_yaml *node) {
    uint64_t product = 1;
    if (node->count == 0 || node->count > MOST_COLUMNS) {
        asif_reader_error(draft, node, "observations are crossed from 1 to %d columns, not from %u",
                          MOST_COLUMNS, node->count);
        return;
    }
    asif_observation_column *column = asif_reader_alloc(draft, node->count, sizeof *column);
    bool good = column != NULL;
    for (uint32_t c = 0; column && c < node->count; c++)
        if (!read_column(draft, node->key[c], node->item[c], &column[c]))
            good = false;
        else if ((product *= column[c].classes) > MOST_LABELS) {
            too_many(draft, node, "observation");
            return;
        }
    const char **names = good ? asif_reader_alloc(draft, product, sizeof *names) : NULL;
    for (uint32_t x = 0; names && x < product; x++)
        if (!(names[x] = join_classes(draft, column, node->count, x)))
            return;
    if (!names)
        return;
    draft->observations = (asif_labels){"observation", (uint32_t)product, names};
    draft->observation_columns = node->count;
    draft->observation_column = column;
}

void asif_reader_read_observations(asif_reader *draft, const asif_yaml *node) {
    if (asif_reader_given_by_file(draft, node, "observations"))
        return;
    draft->sees_states = false;
    if (node->kind == ASIF_YAML_MAP && draft->parts) {
        asif_reader_error(draft, node,
                          "crossed observations are not yet possible where a part of the state is "
                          "seen");
        asif_reader_hint(draft, "list all combinations: [a, b, ...]");
    } else if (node->kind == ASIF_YAML_MAP) {
        read_crossed(draft, node);
    } else {
        asif_reader_space(draft, node, "observation", &draft->observations);
    }
}

asif_labels asif_reader_classes(const asif_reader *draft, uint32_t column) {
    const asif_observation_column *c = &draft->observation_column[column];
    return (asif_labels){"class", c->classes, c->class_names};
}

bool asif_reader_spaces_known(const asif_reader *draft) {
    return draft->states.count && draft->actions.count && (draft->sees_states || draft->observations.count);
}
