/* The mark `learn`: the texts of priors, and the distributions to be estimated. */
#include "study/study_reader.h"

#include "theta/prior.h"

#include <string.h>

bool asif_reader_prior(asif_reader *draft, const asif_yaml *at, const char *text, const char *name,
                       uint32_t entries) {
    asif_prior prior;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_prior_read(&prior, NULL, 0, text, &error) != ASIF_OK ||
        asif_prior_suits(&prior, entries > 0, name, &error) != ASIF_OK)
        return asif_reader_pass_on(draft, at, &error);
    if (prior.kind == ASIF_PRIOR_DIRICHLET && prior.count != entries) {
        asif_reader_error(draft, at, "the prior `%s` has %u numbers, but %s has %u entries",
                          asif_show(text).text, prior.count, name, entries);
        return asif_reader_hint(draft, "give dirichlet a number for each");
    }
    if (prior.kind == ASIF_PRIOR_FLAT) {
        asif_reader_problem(draft, ASIF_PROBLEM_WARNING, ASIF_OK, at,
                            "a flat prior gives a posterior that is improper");
        asif_reader_hint(draft, "leave the prior out for the default, which is weakly informative");
    }
    return true;
}

/* Inside { } YAML treats the commas of a prior as separators: `{a: normal(0, 1)}` is read as `a: normal(0`
 * and a key `1)` without a value. This function puts the i-th value together again; *next is the index of the
 * pair that follows. */
const char *asif_reader_joined(asif_reader *draft, const asif_yaml *map, uint32_t i, uint32_t *next) {
    *next = i + 1;
    const asif_yaml *value = map->item[i];
    if (value->kind != ASIF_YAML_SCALAR || value->quoted || !strchr(value->text, '(') ||
        strchr(value->text, ')'))
        return value->kind == ASIF_YAML_SCALAR ? value->text : NULL;
    uint32_t last = i + 1;
    size_t length = strlen(value->text) + 1;
    for (; last < map->count; last++) {
        if (map->item[last]->kind != ASIF_YAML_SCALAR || map->item[last]->text[0])
            return value->text;
        length += strlen(map->key[last]->text) + 2;
        if (strchr(map->key[last]->text, ')'))
            break;
    }
    if (last == map->count)
        return value->text;
    char *text = asif_reader_alloc(draft, length, 1);
    if (!text)
        return value->text;
    size_t used = 0;
    for (uint32_t k = i; k <= last; k++) {
        const char *part = k == i ? value->text : map->key[k]->text;
        if (k > i) {
            memcpy(text + used, ", ", 2);
            used += 2;
        }
        memcpy(text + used, part, strlen(part));
        used += strlen(part);
    }
    *next = last + 1;
    return text;
}

bool asif_reader_names_distribution(const char *name) {
    return strcmp(name, asif_distribution_text(ASIF_ACTION_PRIOR)) == 0 ||
           strcmp(name, asif_distribution_text(ASIF_WORLD_WEIGHTS)) == 0 ||
           strcmp(name, asif_distribution_text(ASIF_START)) == 0 ||
           strcmp(name, asif_distribution_text(ASIF_MEANS)) == 0;
}

bool asif_reader_learns(const asif_yaml *node, const asif_labels *labels) {
    if (asif_labels_find(labels, "learn") != ASIF_ANY)
        return false;
    if (node->kind == ASIF_YAML_MAP)
        return asif_yaml_get(node, "learn") != NULL;
    return node->kind == ASIF_YAML_SCALAR && strncmp(node->text, "learn", 5) == 0 &&
           (!node->text[5] || strchr(" ~(", node->text[5]));
}

/* Read `learn`, `learn ~ PRIOR` or {learn: PRIOR}; *prior is NULL if there is no prior. */
bool asif_reader_learn(asif_reader *draft, const asif_yaml *node, const char *text, asif_distribution which,
                       uint32_t entries, const char **prior) {
    const char *name = asif_distribution_text(which);
    *prior = NULL;
    if (entries < 2)
        return asif_reader_error(draft, node, "`%s` has nothing to estimate: it has one entry", name);
    if (node->kind == ASIF_YAML_MAP) {
        uint32_t next = 0;
        text = asif_reader_joined(draft, node, 0, &next);
        if (next < node->count || strcmp(node->key[0]->text, "learn") != 0 || !text) {
            asif_reader_parse_error(draft, node, "`%s` cannot be read", name);
            return asif_reader_hint(draft, "write `learn`, or {learn: \"dirichlet(2, 1)\"} with a prior");
        }
    } else {
        text += 5 + strspn(text + 5, " ");
        if (*text && *text != '~') {
            asif_reader_parse_error(draft, node, "`%s` cannot be read", asif_show(node->text).text);
            return asif_reader_hint(draft, "write `learn`, or `learn ~ dirichlet(2, 1)` with a prior");
        }
        text += *text == '~';
    }
    text += strspn(text, " ");
    if (!*text)
        return true;
    *prior = text;
    return asif_reader_prior(draft, node, text, name, entries);
}

bool asif_reader_add_learnt(asif_reader *draft, asif_distribution which, uint32_t start, const asif_yaml *at,
                            const char *prior) {
    if (!asif_reader_grow(draft, &draft->learnt, draft->learnts, &draft->learnt_room, sizeof *draft->learnt))
        return false;
    draft->learnt[draft->learnts++] = (asif_learnt){which, start, at, prior};
    return true;
}

const asif_learnt *asif_reader_find_learnt(const asif_reader *draft, asif_distribution which) {
    for (uint64_t i = 0; i < draft->learnts; i++)
        if (draft->learnt[i].which == which)
            return &draft->learnt[i];
    return NULL;
}
