/* States that are crossed from a part that is seen and a part that is hidden, each of one column or several.
 */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define MOST_STATES 10000
#define MOST_PARTS ASIF_READER_PARTS
#define MOST_RANGE 10000
#define LARGEST 1e9 /* number of a range */

#define HOW "write {seen: {NAME: 0 to 20}, hidden: {NAME: [a, b]}}"

/* ---- reading ---- */

/* Read a range of whole numbers, `0 to 20`; false: it is none. */
static bool read_range(asif_reader *draft, const asif_yaml *node, asif_labels *out) {
    const char *to = node->kind == ASIF_YAML_SCALAR && !node->quoted ? strstr(node->text, " to ") : NULL;
    double low = 0, high = 0;
    if (!to || !asif_number_read(node->text, (uint64_t)(to - node->text), &low) ||
        !asif_number_read(to + 4, strlen(to + 4), &high))
        return false;
    bool whole = fabs(low) <= LARGEST && fabs(high) <= LARGEST && low == floor(low) && high == floor(high);
    uint32_t count = whole && high >= low && high - low < MOST_RANGE ? (uint32_t)(high - low) + 1 : 0;
    if (!count) {
        asif_reader_error(draft, node, "`%s` is not a range of whole numbers", asif_show(node->text).text);
        asif_reader_hint(draft, "write `0 to 20`; at most %d values", MOST_RANGE);
        return true;
    }
    char(*text)[16] = asif_reader_alloc(draft, count, sizeof *text);
    const char **name = asif_reader_alloc(draft, count, sizeof *name);
    if (!text || !name)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        asif_format(text[i], sizeof text[i], "%d", (int)low + (int)i);
        name[i] = text[i];
    }
    out->name = name;
    out->count = count;
    return true;
}

static bool give_numbers(asif_reader *draft, asif_labels *labels) {
    char(*text)[16] = labels->name ? NULL : asif_reader_alloc(draft, labels->count, sizeof *text);
    const char **name = text ? asif_reader_alloc(draft, labels->count, sizeof *name) : NULL;
    if (labels->name)
        return true;
    for (uint32_t i = 0; name && i < labels->count; i++) {
        asif_format(text[i], sizeof text[i], "%u", i);
        name[i] = text[i];
    }
    labels->name = name;
    return name != NULL;
}

bool asif_reader_is_role(const char *name) {
    static const char *const taken[] = {"any",    "by",          "subject", "episode", "t",     "time",
                                        "action", "observation", "state",   "weight",  "start", "label"};
    bool found = false;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        found = found || strcmp(name, taken[i]) == 0;
    return found;
}

static bool good_name(asif_reader *draft, const asif_yaml *key) {
    bool good = key->text[0] && !key->text[strcspn(key->text, "/=*,")] && !asif_reader_is_role(key->text);
    for (uint32_t i = 0; i < draft->parts; i++)
        good = good && strcmp(key->text, draft->part[i].name) != 0;
    return good || asif_reader_error(draft, key, "a part of the state cannot be called `%s`",
                                     asif_show(key->text).text);
}

static bool read_values(asif_reader *draft, const asif_yaml *key, const asif_yaml *node) {
    if (!good_name(draft, key))
        return false;
    if (draft->parts == MOST_PARTS)
        return asif_reader_error(draft, key, "a state has more than %d parts", MOST_PARTS);
    asif_reader_part *part = &draft->part[draft->parts];
    *part = (asif_reader_part){key->text, {.what = "value"}};
    if (!read_range(draft, node, &part->values))
        asif_reader_space(draft, node, "value", &part->values);
    part->values.what = "value";
    if (!part->values.count || !give_numbers(draft, &part->values))
        return false;
    for (uint32_t i = 0; i < part->values.count; i++) {
        const char *label = part->values.name[i];
        if (!label[strcspn(label, "/=")])
            continue;
        asif_reader_error(draft, node, "a value of a part of the state has a `/` or `=` in its label `%s`",
                          asif_show(label).text);
        return asif_reader_hint(draft, "`/` joins the parts of a state: choose another character");
    }
    draft->parts++;
    return true;
}

static bool read_side(asif_reader *draft, const asif_yaml *node, const char *key) {
    const asif_yaml *side = asif_yaml_get(node, key);
    char what[16];
    asif_format(what, sizeof what, "`%s`", key);
    if (!asif_reader_kind(draft, side, ASIF_YAML_MAP, what))
        return asif_reader_hint(draft, HOW);
    bool good = true;
    if (side->count == 0) {
        asif_reader_error(draft, side, "`%s` names no part of the state", key);
        return asif_reader_hint(draft, HOW);
    }
    for (uint32_t i = 0; i < side->count; i++)
        good = read_values(draft, side->key[i], side->item[i]) && good;
    return good;
}

/* ---- crossing ---- */

/* Labels of the combinations of parts [first, end), joined by `/`; the first varies slowest. */
static bool cross(asif_reader *draft, uint32_t first, uint32_t end, const char *what, asif_labels *out) {
    uint64_t count = 1;
    for (uint32_t p = first; p < end; p++)
        count *= draft->part[p].values.count;
    const char **name = asif_reader_alloc(draft, count, sizeof *name);
    for (uint64_t i = 0; name && i < count; i++) {
        uint64_t rest = count, left = i, length = 0;
        char joined[512];
        for (uint32_t p = first; p < end; p++) {
            rest /= draft->part[p].values.count;
            length += (uint64_t)asif_format(joined + length, sizeof joined - length, "%s%s",
                                            p > first ? "/" : "", draft->part[p].values.name[left / rest]);
            left %= rest;
            if (length >= sizeof joined)
                return asif_reader_error(draft, draft->parts_at, "the labels of the states are too long");
        }
        char *copy = asif_reader_alloc(draft, length + 1, 1);
        if (!copy)
            return false;
        memcpy(copy, joined, length);
        name[i] = copy;
    }
    *out = (asif_labels){what, (uint32_t)count, name};
    return name != NULL;
}

void asif_reader_read_parts(asif_reader *draft, const asif_yaml *node) {
    static const asif_study_key keys[] = {
        {"seen", NULL, "parts that the agent sees"},
        {"hidden", NULL, "parts that it has beliefs about"},
    };
    draft->parts_at = node;
    draft->states.what = "state";
    if (!asif_reader_keys(draft, node, "states", keys, 2))
        return;
    for (uint32_t i = 0; i < 2; i++)
        if (!asif_yaml_get(node, keys[i].name)) {
            asif_reader_parse_error(draft, node, "`states` has no `%s` part", keys[i].name);
            asif_reader_hint(draft, i ? "where the agent sees the whole state, list the states, and leave "
                                        "`observations` out"
                                      : "where all of the state is hidden, list the states: [a, b]");
            return;
        }
    draft->part = asif_reader_alloc(draft, MOST_PARTS, sizeof *draft->part);
    if (!draft->part)
        return;
    bool good = read_side(draft, node, "seen");
    draft->seen_parts = draft->parts;
    good = read_side(draft, node, "hidden") && good;
    uint64_t seen = 1, hidden = 1;
    for (uint32_t p = 0; good && p < draft->parts && seen * hidden <= MOST_STATES; p++)
        *(p < draft->seen_parts ? &seen : &hidden) *= draft->part[p].values.count;
    if (!good || draft->stop) {
        draft->parts = 0;
        return;
    }
    if (seen * hidden > MOST_STATES || seen < 2) {
        draft->parts = 0;
        if (seen < 2)
            asif_reader_error(draft, node, "the seen part of the state has one value only");
        else
            asif_reader_error(draft, node, "more than %d states are too many for a study file", MOST_STATES);
        return;
    }
    draft->seen_values = (uint32_t)seen;
    draft->hidden_values = (uint32_t)hidden;
    if (!cross(draft, 0, draft->seen_parts, "seen value", &draft->seen_labels) ||
        !cross(draft, draft->seen_parts, draft->parts, "hidden value", &draft->hidden_labels) ||
        !cross(draft, 0, draft->parts, "state", &draft->states))
        draft->parts = 0;
}

void asif_reader_cross_observations(asif_reader *draft, const asif_yaml *node) {
    asif_labels shown = draft->observations;
    if (!give_numbers(draft, &shown))
        return;
    draft->observations.count = 0;
    uint64_t count = (uint64_t)draft->seen_values * shown.count;
    for (uint32_t i = 0; i < shown.count; i++)
        if (strchr(shown.name[i], '/')) {
            asif_reader_error(draft, node, "an observation has a `/` in its label `%s`",
                              asif_show(shown.name[i]).text);
            asif_reader_hint(draft, "`/` joins the seen value and the observation: choose another character");
            return;
        }
    if (count > 10 * MOST_STATES) {
        asif_reader_error(draft, node, "%u seen values times %u observations are too many",
                          draft->seen_values, shown.count);
        return;
    }
    const char **name = asif_reader_alloc(draft, count, sizeof *name);
    for (uint64_t i = 0; name && i < count; i++) {
        const char *seen = draft->seen_labels.name[i / shown.count], *what = shown.name[i % shown.count];
        size_t length = strlen(seen) + strlen(what) + 2;
        char *joined = asif_reader_alloc(draft, length, 1);
        if (!joined)
            return;
        asif_format(joined, length, "%s/%s", seen, what);
        name[i] = joined;
    }
    if (!name)
        return;
    draft->shown = shown;
    draft->observations = (asif_labels){"observation", (uint32_t)count, name};
}

void asif_reader_check_parts(asif_reader *draft) {
    if (!draft->parts || !draft->sees_states)
        return;
    asif_reader_error(draft, draft->parts_at, "`states` with a hidden part need `observations`");
    asif_reader_hint(draft, "list what the agent observes apart from the seen part: `observations: [...]`");
}

/* ---- states by their parts ---- */

uint32_t asif_reader_find_part(const asif_reader *draft, const char *name) {
    for (uint32_t p = 0; p < draft->parts; p++)
        if (strcmp(draft->part[p].name, name) == 0)
            return p;
    return ASIF_ANY;
}

uint32_t asif_reader_value_of(const asif_reader *draft, uint32_t part, uint32_t state) {
    for (uint32_t p = draft->parts - 1; p > part; p--)
        state /= draft->part[p].values.count;
    return state % draft->part[part].values.count;
}

/* Find the part and the value that a piece of a key names, as `VALUE` or `PART=VALUE`. */
static bool find_value(asif_reader *draft, const asif_yaml *key, const char *piece, uint32_t *part,
                       uint32_t *value) {
    const char *equal = strchr(piece, '=');
    uint32_t found = 0;
    for (uint32_t p = 0; p < draft->parts; p++) {
        const char *name = draft->part[p].name;
        if (equal && (strlen(name) != (size_t)(equal - piece) || strncmp(name, piece, strlen(name)) != 0))
            continue;
        uint32_t i = asif_labels_find(&draft->part[p].values, equal ? equal + 1 : piece);
        if (i == ASIF_ANY)
            continue;
        found++;
        *part = p;
        *value = i;
    }
    if (found == 1)
        return true;
    if (found > 1) {
        asif_reader_error(draft, key, "`%s` is a value of several parts of the state", asif_show(piece).text);
        return asif_reader_hint(draft, "name the part: `%s=%s`", asif_show(draft->part[*part].name).text,
                                asif_show(piece).text);
    }
    asif_reader_error(draft, key, "`%s` is no state, and no value of a part of the state",
                      asif_show(piece).text);
    return asif_reader_hint(draft, "write a state, such as `%s`, or values: `%s=%s`",
                            asif_show_label(&draft->states, 0).text, asif_show(draft->part[0].name).text,
                            asif_show_label(&draft->part[0].values, 0).text);
}

bool asif_reader_select(asif_reader *draft, const asif_yaml *key, bool *marked, uint32_t *conditions) {
    uint32_t state = asif_labels_find(&draft->states, key->text);
    memset(marked, 0, draft->states.count);
    *conditions = draft->parts;
    if (state != ASIF_ANY) {
        marked[state] = true;
        return true;
    }
    uint32_t wanted[MOST_PARTS];
    for (uint32_t p = 0; p < MOST_PARTS; p++)
        wanted[p] = ASIF_ANY;
    *conditions = 0;
    for (const char *at = key->text; at;) {
        const char *end = strchr(at, '/');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        char piece[256];
        uint32_t part = 0, value = 0;
        asif_format(piece, sizeof piece, "%.*s", (int)(length < 255 ? length : 255), at);
        if (!find_value(draft, key, piece, &part, &value))
            return false;
        if (wanted[part] != ASIF_ANY)
            return asif_reader_error(draft, key, "`%s` names the part `%s` twice", asif_show(key->text).text,
                                     asif_show(draft->part[part].name).text);
        wanted[part] = value;
        ++*conditions;
        at = end ? end + 1 : NULL;
    }
    for (uint32_t s = 0; s < draft->states.count; s++) {
        marked[s] = true;
        for (uint32_t p = 0; p < draft->parts; p++)
            marked[s] =
                marked[s] && (wanted[p] == ASIF_ANY || wanted[p] == asif_reader_value_of(draft, p, s));
    }
    return true;
}

bool asif_reader_assign(asif_reader *draft, const asif_yaml *node, uint32_t *of) {
    uint32_t S = draft->states.count;
    bool *marked = asif_reader_alloc(draft, S, sizeof *marked), good = marked != NULL;
    uint32_t *strength = asif_reader_alloc(draft, S, sizeof *strength);
    for (uint32_t s = 0; s < S; s++)
        of[s] = ASIF_ANY;
    for (uint32_t i = 0; strength && marked && i < node->count; i++) {
        uint32_t conditions = 0;
        if (strcmp(node->key[i]->text, "any") == 0)
            continue;
        if (!asif_reader_select(draft, node->key[i], marked, &conditions)) {
            good = false;
            continue;
        }
        for (uint32_t s = 0; s < S; s++) {
            if (!marked[s] || (of[s] != ASIF_ANY && strength[s] > conditions))
                continue;
            if (of[s] != ASIF_ANY && strength[s] == conditions) {
                asif_reader_error(draft, node->key[i], "`%s` and `%s` both apply to the state `%s`",
                                  asif_show(node->key[of[s]]->text).text, asif_show(node->key[i]->text).text,
                                  asif_show_label(&draft->states, s).text);
                return asif_reader_hint(draft, "the key that names more parts counts: name one more");
            }
            of[s] = i;
            strength[s] = conditions;
        }
    }
    return good && strength;
}

/* ---- starts ---- */

/* Put the part of `from` [states] with the seen value y into a class, divided by its probability, which is
 * returned. */
static double take_class(const asif_reader *draft, const double *from, uint32_t y, double *to) {
    uint32_t H = draft->hidden_values;
    double sum = 0;
    for (uint32_t h = 0; h < H; h++)
        sum += from[y * H + h];
    for (uint32_t h = 0; h < H && sum > 0; h++)
        to[y * H + h] = from[y * H + h] / sum;
    return sum;
}

bool asif_reader_split_starts(asif_reader *draft, const double **weights) {
    uint32_t S = draft->states.count, Y = draft->seen_values, n = 0;
    double *world = asif_reader_alloc(draft, (uint64_t)Y * S, sizeof *world),
           *agent = asif_reader_alloc(draft, (uint64_t)Y * S, sizeof *agent),
           *weight = asif_reader_alloc(draft, Y, sizeof *weight);
    const char **name = asif_reader_alloc(draft, Y, sizeof *name);
    if (!world || !agent || !weight || !name)
        return false;
    for (uint32_t y = 0; y < Y; y++) {
        double p = take_class(draft, draft->start.p, y, world + (uint64_t)n * S);
        if (!(p > 0))
            continue;
        double *mine = agent + (uint64_t)n * S;
        if (!(take_class(draft, draft->agent_start.p, y, mine) > 0)) {
            asif_reader_error(draft, draft->agent_start.at,
                              "episodes can begin with `%s`, which the agent holds impossible",
                              asif_show_label(&draft->seen_labels, y).text);
            return asif_reader_hint(draft, "give every seen value that can come first a probability");
        }
        weight[n] = p;
        name[n++] = draft->seen_labels.name[y];
    }
    draft->start = (asif_starts){.at = draft->start.at, .classes = n, .name = name, .p = world};
    draft->agent_start = (asif_starts){.at = draft->agent_start.at, .classes = n, .name = name, .p = agent};
    *weights = weight;
    return true;
}
