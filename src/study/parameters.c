/* The section `parameters`: each is a number, a limit such as `0+`, or `learn` with a prior. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

/* Checks of the parameters that every agent has. Each returns NULL if the value is good, else the error, with
 * the remedy in *hint. */
static const char *check_alpha(double x, const char *text, const char **hint) {
    if (x == -INFINITY) {
        *hint = "write `inf`: the agent follows its action prior";
        return "cannot be -inf";
    }
    if (x == 0 && signbit(x) && strcmp(text, "0-") != 0) {
        *hint = "write `0` for an agent that always takes the best action, `0-` for one that takes the worst";
        return "cannot be -0";
    }
    return NULL;
}

static const char *check_beta(double x, const char *text, const char **hint) {
    if (x == -INFINITY) {
        *hint = "write `inf`: the agent is neutral";
        return "cannot be -inf";
    }
    if (x == 0 && strcmp(text, "0+") != 0 && strcmp(text, "0-") != 0) {
        *hint = "write `0+` for the extreme of optimism, `0-` for that of pessimism, `inf` for neutral";
        return "cannot be 0: its sign matters";
    }
    return NULL;
}

static const char *check_any(double x, const char *text, const char **hint) {
    (void)x, (void)text, (void)hint;
    return NULL;
}

static const char *check_finite(double x, const char *text, const char **hint) {
    (void)text;
    if (isfinite(x))
        return NULL;
    *hint = "give a number, such as 1000, and see whether the answer still changes";
    return "must be finite";
}

static const char *check_discount(double x, const char *text, const char **hint) {
    (void)text;
    if (x >= 0 && x < 1)
        return NULL;
    *hint =
        "without discounting values need not be finite: 0.99 or 0.999 comes near. With a `horizon` it may "
        "be 1";
    return "must be at least 0 and below 1";
}

static const char *check_lapse(double x, const char *text, const char **hint) {
    (void)text;
    if (x >= 0 && x < 1)
        return NULL;
    *hint = "it is the share of decisions that are made without looking, such as 0.02";
    return "must be at least 0 and below 1";
}

static const char *check_utility(double x, const char *text, const char **hint) {
    (void)text;
    if (isfinite(x))
        return NULL;
    *hint = "give a large number instead";
    return "must be finite";
}

typedef struct {
    const char *name;
    bool limits; /* the values `0+` and `0-` are allowed */
    const char *(*check)(double x, const char *text, const char **hint);
} builtin;
static const builtin builtins[] = {
    {"alpha", true, check_alpha},   {"act_alpha", true, check_alpha}, {"beta", true, check_beta},
    {"optimism", false, check_any}, {"eta", false, check_finite},     {"discount", false, check_discount},
    {"lapse", false, check_lapse},
};
static const builtin utility_parameter = {NULL, false, check_utility};

static const builtin *find_builtin(const char *name) {
    for (uint32_t i = 0; i < COUNT(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

bool asif_reader_is_builtin(const char *name) {
    return find_builtin(name) != NULL;
}

static asif_reader_parameter *find_pattern(asif_reader *draft, const char *name, size_t length) {
    for (uint64_t i = 0; i < draft->patterns; i++)
        if (strlen(draft->pattern[i].name) == length && strncmp(draft->pattern[i].name, name, length) == 0)
            return &draft->pattern[i];
    return NULL;
}

/* The longest pattern that a name begins with. */
static asif_reader_parameter *fitting_pattern(asif_reader *draft, const char *name) {
    for (size_t length = strlen(name) + 1; length-- > 0;) {
        asif_reader_parameter *pattern = draft->patterns ? find_pattern(draft, name, length) : NULL;
        if (pattern)
            return pattern;
    }
    return NULL;
}

const char *asif_reader_near_parameter(const asif_reader *draft, const char *name) {
    for (uint64_t i = 0; i < draft->parameters; i++) {
        const char *candidate = draft->parameter[i].name;
        if (draft->parameter[i].utility && !draft->parameter[i].undeclared &&
            asif_nearest_word(name, &candidate, 1))
            return candidate;
    }
    return NULL;
}

static bool set_prior(asif_reader *draft, asif_reader_parameter *p, const asif_yaml *at, const char *text) {
    text += strspn(text, " ");
    if (strcmp(p->name, "beta") == 0) {
        asif_reader_error(draft, at, "a prior cannot be put on `beta`");
        return asif_reader_hint(draft, "put it on `optimism`, which is 1/beta: optimism: learn ~ %s",
                                asif_show(text).text);
    }
    p->prior = text;
    return asif_reader_prior(draft, at, text, p->name, 0);
}

static bool read_value(asif_reader *draft, asif_reader_parameter *p, const asif_yaml *at, const char *text,
                       bool quoted) {
    const builtin *b = find_builtin(p->name);
    const char *rest = strncmp(text, "learn", 5) == 0 ? text + 5 + strspn(text + 5, " ") : NULL;
    if (rest && !*rest) {
        p->learn = true;
        return true;
    }
    if (rest && *rest == '~') {
        p->learn = true;
        return set_prior(draft, p, at, rest + 1);
    }
    if (rest && (*rest == '(' || rest > text + 5)) {
        asif_reader_parse_error(draft, at, "`%s` cannot be read", asif_show(text).text);
        return asif_reader_hint(draft, "write `learn`, or `learn ~ normal(0, 1)` with a prior");
    }
    if (b && b->limits && !quoted && strcmp(text, "0+") == 0) {
        p->value = 0.0;
    } else if (b && b->limits && !quoted && strcmp(text, "0-") == 0) {
        p->value = -0.0;
    } else {
        char what[80];
        asif_yaml scalar = {
            .kind = ASIF_YAML_SCALAR, .line = at->line, .column = at->column, .quoted = quoted, .text = text};
        asif_format(what, sizeof what, "`%s`", asif_show(p->name).text);
        if (!asif_reader_number(draft, &scalar, what, &p->value)) {
            static const char *const words[] = {"learn"};
            if (asif_nearest_word(text, words, 1))
                asif_reader_hint(draft, "did you mean `learn`?");
            return false;
        }
    }
    const char *hint = NULL, *wrong = (b ? b : &utility_parameter)->check(p->value, text, &hint);
    if (b && b->check == check_discount && p->value == 1 && draft->horizon)
        wrong = NULL;
    if (!wrong)
        return true;
    asif_reader_error(draft, at, "`%s` %s, but it is %s", asif_show(p->name).text, wrong,
                      asif_show(text).text);
    return asif_reader_hint(draft, "%s", hint);
}

/* Read the sign of an estimated alpha; only its size is estimated. A `negative` alpha minimises the utility.
 */
static bool read_sign(asif_reader *draft, asif_reader_parameter *p, const asif_yaml *key,
                      const asif_yaml *value) {
    static const char *const signs[] = {"positive", "negative"};
    uint32_t sign = 0;
    const builtin *b = find_builtin(p->name);
    if (!b || b->check != check_alpha) {
        asif_reader_error(draft, key, "`sign` is for alpha and act_alpha, not for `%s`",
                          asif_show(p->name).text);
        return asif_reader_hint(draft, "bound it by its prior instead, such as lognormal(0, 1)");
    }
    if (!asif_reader_choice(draft, value, "`sign`", signs, COUNT(signs), &sign))
        return false;
    p->negative = sign == 1;
    return true;
}

static bool read_map(asif_reader *draft, asif_reader_parameter *p, const asif_yaml *node) {
    static const char *const known[] = {"learn", "standard", "sign"};
    bool good = true;
    for (uint32_t i = 0, next; i < node->count; i = next) {
        const char *text = asif_reader_joined(draft, node, i, &next);
        const asif_yaml *key = node->key[i], *value = node->item[i];
        if (strcmp(key->text, "learn") == 0) {
            p->learn = true;
            if (!text)
                good = asif_reader_parse_error(draft, value, "`learn` takes a prior, such as normal(0, 1)");
            else if (text[0])
                good = set_prior(draft, p, value, text) && good;
        } else if (strcmp(key->text, "standard") == 0) {
            if (!p->utility) {
                good = asif_reader_error(draft, key, "`standard` is for utilities, not for `%s`", p->name);
            } else if (!asif_reader_number(draft, value, "`standard`", &p->standard)) {
                good = false;
            } else if (!isfinite(p->standard)) {
                good = asif_reader_error(draft, value, "`standard` must be finite");
            }
        } else if (strcmp(key->text, "sign") == 0) {
            good = read_sign(draft, p, key, value) && good;
        } else {
            good = asif_reader_parse_error(draft, key, "unknown key `%s` for the parameter `%s`",
                                           asif_show(key->text).text, asif_show(p->name).text);
            const char *near = asif_nearest_word(key->text, known, COUNT(known));
            if (near)
                asif_reader_hint(draft, "did you mean `%s`?", near);
            else
                asif_reader_hint(draft, "write {learn: normal(-36, 23), standard: -36}");
        }
    }
    if (good && !p->learn) {
        asif_reader_parse_error(draft, node, "`%s` has neither a number nor `learn`",
                                asif_show(p->name).text);
        return asif_reader_hint(draft, "write a number, or {learn: normal(-36, 23), standard: -36}");
    }
    return good;
}

static bool good_name(const char *name) {
    if (!((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z') || name[0] == '_' ||
          (unsigned char)name[0] >= 0x80))
        return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || strchr("*~(){}[],:;<>=\"'", *c))
            return false;
    static const char *const words[] = {"any", "learn", "inf", "infinity"};
    for (uint32_t i = 0; i < COUNT(words); i++)
        if (strcmp(name, words[i]) == 0)
            return false;
    return true;
}

/* Add a pattern such as `v.*`, whose value or prior applies to all names that begin with `v.`. */
static asif_reader_parameter *add_pattern(asif_reader *draft, const char *name, const asif_yaml *at) {
    size_t length = strlen(name) - 1;
    const asif_reader_parameter *before = find_pattern(draft, name, length);
    char *start = asif_reader_alloc(draft, (uint64_t)length + 1, 1);
    if (!start)
        return NULL;
    memcpy(start, name, length);
    if (before) {
        asif_reader_error(draft, at, "`%s` is given twice (first in line %u)", asif_show(name).text,
                          before->at->line);
        asif_reader_hint(draft, "remove one of the two");
        return NULL;
    }
    if (length && !good_name(start)) {
        asif_reader_error(draft, at, "`%s` cannot be the beginning of names of parameters",
                          asif_show(start).text);
        asif_reader_hint(draft, "names begin with a letter and hold letters, digits, `_`, `-` and `.`");
        return NULL;
    }
    if (!asif_reader_grow(draft, &draft->pattern, draft->patterns, &draft->pattern_room,
                          sizeof *draft->pattern))
        return NULL;
    asif_reader_parameter *p = &draft->pattern[draft->patterns++];
    *p = (asif_reader_parameter){.name = start,
                                 .at = at,
                                 .value = NAN,
                                 .standard = NAN,
                                 .index = ASIF_ANY,
                                 .utility = true,
                                 .many = true};
    return p;
}

static bool is_pattern(const char *name) {
    size_t length = strlen(name);
    return length && name[length - 1] == '*';
}

static asif_reader_parameter *add(asif_reader *draft, const char *name, const asif_yaml *at) {
    if (is_pattern(name))
        return add_pattern(draft, name, at);
    asif_reader_parameter *before = asif_reader_find_parameter(draft, name);
    if (before) {
        asif_reader_error(draft, at, "`%s` is given twice (first in line %u)", asif_show(name).text,
                          before->at->line);
        asif_reader_hint(draft, "remove one of the two");
        return NULL;
    }
    if (asif_reader_names_distribution(name)) {
        asif_reader_error(draft, at, "`%s` is not a number: it is a distribution", name);
        asif_reader_hint(draft, "write `%s` under `agent`; a utility of that name needs another", name);
        return NULL;
    }
    if (!find_builtin(name) && !good_name(name)) {
        asif_reader_error(draft, at, "`%s` cannot be the name of a parameter", asif_show(name).text);
        asif_reader_hint(draft, "names begin with a letter and hold letters, digits, `_`, `-` and `.`");
        return NULL;
    }
    if (!asif_reader_grow(draft, &draft->parameter, draft->parameters, &draft->parameter_room,
                          sizeof *draft->parameter))
        return NULL;
    asif_reader_parameter *p = &draft->parameter[draft->parameters++];
    *p = (asif_reader_parameter){.name = name, .at = at, .value = NAN, .standard = NAN, .index = ASIF_ANY};
    p->utility = !find_builtin(name);
    if (p->utility)
        p->index = draft->utilities++;
    return p;
}

asif_reader_parameter *asif_reader_add_parameter(asif_reader *draft, const char *name, const asif_yaml *at,
                                                 const asif_yaml *value) {
    asif_reader_parameter *p = add(draft, name, at);
    if (!p)
        return NULL;
    if (value->kind == ASIF_YAML_MAP)
        p->bad = !read_map(draft, p, value);
    else
        p->bad = !asif_reader_kind(draft, value, ASIF_YAML_SCALAR, asif_show(name).text) ||
                 !read_value(draft, p, value, value->text, value->quoted);
    return p;
}

asif_reader_parameter *asif_reader_used_parameter(asif_reader *draft, const char *name) {
    name = asif_reader_name_here(draft, name);
    asif_reader_parameter *p = asif_reader_find_parameter(draft, name), *pattern = NULL;
    if (!p && (pattern = fitting_pattern(draft, name))) {
        size_t length = strlen(name) + 1;
        char *copy = asif_reader_alloc(draft, length, 1);
        if (!copy || !asif_reader_grow(draft, &draft->parameter, draft->parameters, &draft->parameter_room,
                                       sizeof *draft->parameter))
            return NULL;
        memcpy(copy, name, length);
        pattern->used = true;
        p = &draft->parameter[draft->parameters++];
        *p = *pattern;
        p->name = copy;
        p->many = false;
        p->bad = p->bad || (p->learn && isnan(p->standard)); /* reported for the pattern */
        p->index = draft->utilities++;
    }
    if (p && p->utility)
        p->used = true;
    return p;
}

void asif_reader_read_parameters(asif_reader *draft, const asif_yaml *node) {
    draft->parameters_at = node;
    if (!asif_reader_kind(draft, node, ASIF_YAML_MAP, "`parameters`"))
        return;
    for (uint32_t i = 0, next = 0; i < node->count && !draft->stop; i = next) {
        const char *text = asif_reader_joined(draft, node, i, &next);
        asif_yaml value = *node->item[i];
        value.text = text;
        asif_reader_add_parameter(draft, node->key[i]->text, node->key[i], &value);
    }
}

void asif_reader_undeclared(asif_reader *draft, const char *name, const asif_yaml *at) {
    char *copy = asif_reader_alloc(draft, strlen(name) + 1, 1);
    if (copy && asif_reader_grow(draft, &draft->parameter, draft->parameters, &draft->parameter_room,
                                 sizeof *draft->parameter))
        draft->parameter[draft->parameters++] = (asif_reader_parameter){.name = strcpy(copy, name),
                                                                        .at = at,
                                                                        .utility = true,
                                                                        .bad = true,
                                                                        .undeclared = true,
                                                                        .value = NAN,
                                                                        .standard = NAN,
                                                                        .index = ASIF_ANY};
}

/* Report a parameter that nothing uses and whose name is similar to `name` as a misspelling of it. */
static bool report_misspelt(asif_reader *draft, const char *name) {
    for (uint64_t i = 0; i < draft->parameters; i++) {
        asif_reader_parameter *p = &draft->parameter[i];
        if (!p->utility || p->used || p->undeclared || !asif_nearest_word(p->name, &name, 1))
            continue;
        asif_reader_error(draft, p->at, "the parameter `%s` is not used, and `%s` is missing",
                          asif_show(p->name).text, name);
        asif_reader_hint(draft, "did you mean `%s`?", name);
        p->bad = true;
        return true;
    }
    return false;
}

/* The parameter of every agent whose name is similar to `name`, if the study does not have it. */
static const char *missing_builtin(asif_reader *draft, const char *name) {
    const char *names[COUNT(builtins)];
    for (uint32_t i = 0; i < COUNT(builtins); i++)
        names[i] = builtins[i].name;
    const char *near = asif_nearest_word(name, names, COUNT(builtins));
    return near && !asif_reader_find_parameter(draft, near) ? near : NULL;
}

static void check_standard(asif_reader *draft, const asif_reader_parameter *p) {
    if (!p->utility || !p->learn || !isnan(p->standard) || p->bad)
        return;
    const char *star = p->many ? "*" : "",
               *near = p->used || p->many ? NULL : missing_builtin(draft, p->name);
    asif_reader_error(draft, p->at, "the estimated utility `%s%s` has no `standard`", asif_show(p->name).text,
                      star);
    if (near)
        asif_reader_hint(draft, "did you mean `%s`?", near);
    else
        asif_reader_hint(draft, "give a usual value, which sets the scale: %s%s: {learn: %s, standard: -36}",
                         asif_show(p->name).text, star,
                         p->prior ? asif_show(p->prior).text : "normal(-36, 23)");
}

void asif_reader_check_parameters(asif_reader *draft, const asif_yaml *agent) {
    const asif_reader_parameter *beta = asif_reader_find_parameter(draft, "beta");
    const asif_reader_parameter *optimism = asif_reader_find_parameter(draft, "optimism");
    if (beta && optimism) {
        const asif_reader_parameter *later = beta > optimism ? beta : optimism;
        asif_reader_error(draft, later->at, "both `beta` and `optimism` are given, but optimism is 1/beta");
        asif_reader_hint(draft, "keep one of them");
    }
    /* A preset that could not be read might have determined alpha. */
    bool settled = asif_reader_restriction(draft).alpha.how != ASIF_FREE ||
                   asif_preset_needs_alpha(draft->preset) || (draft->preset_at && !draft->preset);
    if (!settled && !asif_reader_find_parameter(draft, "alpha") && !report_misspelt(draft, "alpha")) {
        asif_reader_error(draft, draft->parameters_at ? draft->parameters_at : agent,
                          "the agent has no `alpha`");
        asif_reader_hint(
            draft, "write `alpha: learn`, a number, or `alpha: 0` for an agent that always takes the best "
                   "action, under `parameters`");
    }
    for (uint64_t i = 0; i < draft->patterns; i++)
        check_standard(draft, &draft->pattern[i]);
    for (uint64_t i = 0; i < draft->parameters; i++)
        check_standard(draft, &draft->parameter[i]);
}
