/* Reads and writes trees in files; docs/reference/tree-file.md describes the format. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/sha256.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

static const char magic[12] = "asif-tree\0\0";
enum { WITHOUT_ENDS = 1, WITH_ENDS = 2, WITH_LOST = 3 }; /* versions */

enum { STATES_SEEN = 1, FRACTIONAL = 2, SORTED = 4, KNOWN_FLAGS = 7 };

/* Fields of the header, 8 bytes each, after magic and version. */
enum {
    FLAGS,
    ACTIONS,
    OBSERVATIONS,
    STARTS,
    NODES,
    LEVELS,
    TRANSITIONS,
    UNITS,
    ENTRIES,
    COVARIATES,
    TEXT,
    ROWS,
    EXCLUDED,
    SUBJECTS,
    EPISODES,
    DECISIONS,
    LONGEST,
    HEAD_NUMBERS_1,
    ENDS = HEAD_NUMBERS_1,
    ENDINGS,
    HEAD_NUMBERS_2,
    LOST = HEAD_NUMBERS_2,
    COMPLETIONS,
    HEAD_NUMBERS
};

static uint32_t version_of(const asif_tree_size *n) {
    return n->lost ? WITH_LOST : n->ends_known ? WITH_ENDS : WITHOUT_ENDS;
}

static unsigned head_numbers(uint32_t version) {
    return version == WITHOUT_ENDS ? HEAD_NUMBERS_1 : version == WITH_ENDS ? HEAD_NUMBERS_2 : HEAD_NUMBERS;
}

static uint64_t head_bytes(uint32_t version) {
    return sizeof magic + 4 + 8ull * head_numbers(version);
}

/* ---- numbers, little-endian ---- */

static uint8_t *put_char(uint8_t *at, char x) {
    *at = (uint8_t)x;
    return at + 1;
}

static uint8_t *put_uint32_t(uint8_t *at, uint32_t x) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(x >> 8 * i);
    return at + 4;
}

static uint8_t *put_uint64_t(uint8_t *at, uint64_t x) {
    return put_uint32_t(put_uint32_t(at, (uint32_t)x), (uint32_t)(x >> 32));
}

static uint8_t *put_double(uint8_t *at, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return put_uint64_t(at, bits);
}

static const uint8_t *take_char(const uint8_t *at, char *x) {
    memcpy(x, at, 1);
    return at + 1;
}

static const uint8_t *take_uint32_t(const uint8_t *at, uint32_t *x) {
    *x = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return at + 4;
}

static const uint8_t *take_uint64_t(const uint8_t *at, uint64_t *x) {
    uint32_t low, high;
    at = take_uint32_t(take_uint32_t(at, &low), &high);
    *x = low | (uint64_t)high << 32;
    return at;
}

static const uint8_t *take_double(const uint8_t *at, double *x) {
    uint64_t bits;
    at = take_uint64_t(at, &bits);
    memcpy(x, &bits, sizeof bits);
    return at;
}

/* Bytes of all arrays; false if there are more than `limit`, which is found before a sum or product
 * overflows. */
static bool array_bytes(const asif_tree_size *n, uint64_t limit, uint64_t *out) {
    uint64_t sum = 0;
    if (n->actions && n->nodes > limit / n->actions)
        return false;
#define X(type, array, elements)                                                                             \
    {                                                                                                        \
        uint64_t of_array = (elements);                                                                      \
        if (of_array > limit / sizeof(type) || (sum += of_array * sizeof(type)) > limit)                     \
            return false;                                                                                    \
    }
    ASIF_TREE_ARRAYS_1(X)
    if (n->ends_known) {
        ASIF_TREE_ARRAYS_2(X)
    }
    if (n->lost) {
        ASIF_TREE_ARRAYS_3(X)
    }
#undef X
    *out = sum;
    return true;
}

/* ---- writing ---- */

asif_status asif_tree_bytes(char **out, uint64_t *length, const asif_tree *tree, asif_error *error) {
    *out = NULL;
    const asif_tree_size *n = &tree->size;
    const asif_logs_info *info = &tree->info;
    const uint64_t head[HEAD_NUMBERS] = {
        [FLAGS] = (n->states_seen ? STATES_SEEN : 0u) | (n->fractional ? FRACTIONAL : 0u) |
                  (info->sorted ? SORTED : 0u),
        [ACTIONS] = n->actions,
        [OBSERVATIONS] = n->observations,
        [STARTS] = n->starts,
        [NODES] = n->nodes,
        [LEVELS] = n->levels,
        [TRANSITIONS] = n->transitions,
        [UNITS] = n->units,
        [ENTRIES] = n->entries,
        [COVARIATES] = n->covariates,
        [TEXT] = n->text,
        [ROWS] = info->rows,
        [EXCLUDED] = info->excluded,
        [SUBJECTS] = info->subjects,
        [EPISODES] = info->episodes,
        [DECISIONS] = info->decisions,
        [LONGEST] = info->longest,
        [ENDS] = n->ends,
        [ENDINGS] = n->endings,
        [LOST] = n->lost,
        [COMPLETIONS] = n->completions,
    };
    uint32_t version = version_of(n);
    uint64_t bytes = 0;
    bool fits = array_bytes(n, UINT64_MAX / 4, &bytes);
    *length = head_bytes(version) + bytes + ASIF_SHA256_SIZE;
    uint8_t *file = fits ? asif_realloc(tree->context, NULL, *length, 1) : NULL;
    if (!file)
        return asif_fail_memory(error);
    memcpy(file, magic, sizeof magic);
    uint8_t *at = put_uint32_t(file + sizeof magic, version);
    for (unsigned i = 0; i < head_numbers(version); i++)
        at = put_uint64_t(at, head[i]);
#define X(type, array, elements)                                                                             \
    for (uint64_t i = 0, count = (elements); i < count; i++)                                                 \
        at = put_##type(at, tree->array[i]);
    ASIF_TREE_ARRAYS_1(X)
    if (n->ends_known) {
        ASIF_TREE_ARRAYS_2(X)
    }
    if (n->lost) {
        ASIF_TREE_ARRAYS_3(X)
    }
#undef X
    asif_sha256_of(file, *length - ASIF_SHA256_SIZE, at);
    *out = (char *)file;
    return ASIF_OK;
}

asif_status asif_tree_save(const asif_tree *tree, const char *path, asif_error *error) {
    char *bytes;
    uint64_t length;
    ASIF_TRY(asif_tree_bytes(&bytes, &length, tree, error));
    asif_status status = asif_file_write(tree->context, path, bytes, length, NULL, error);
    asif_free(tree->context, bytes);
    return status;
}

/* ---- reading ---- */

static asif_status fail_damaged(asif_error *error, const char *what) {
    asif_fail(error, ASIF_EPARSE, "the saved tree is damaged: %s", what);
    asif_error_hint(error, "make it again from the table with asif count");
    return ASIF_EPARSE;
}

static asif_status read_head(const uint8_t *file, uint64_t length, uint32_t *version, uint64_t *head,
                             asif_error *error) {
    if (length < sizeof magic || memcmp(file, magic, sizeof magic) != 0) {
        asif_fail(error, ASIF_EPARSE, "this is not a saved tree");
        asif_error_hint(error, "a saved tree is what asif count -o writes");
        return ASIF_EPARSE;
    }
    if (length < sizeof magic + 4)
        return fail_damaged(error, "it ends early");
    const uint8_t *at = take_uint32_t(file + sizeof magic, version);
    if (*version < WITHOUT_ENDS || *version > WITH_LOST) {
        asif_fail(error, ASIF_EPARSE,
                  "the saved tree is of version %u, and this asif reads versions %d to %d", *version,
                  WITHOUT_ENDS, WITH_LOST);
        asif_error_hint(error, "make it again from the table with asif count, or use the asif that wrote it");
        return ASIF_EPARSE;
    }
    if (length < head_bytes(*version) + ASIF_SHA256_SIZE)
        return fail_damaged(error, "it ends early");
    uint8_t digest[ASIF_SHA256_SIZE];
    asif_sha256_of(file, length - ASIF_SHA256_SIZE, digest);
    if (memcmp(digest, file + length - ASIF_SHA256_SIZE, sizeof digest) != 0)
        return fail_damaged(error, "its digest is not that of its contents, so it was cut or changed");
    for (unsigned i = 0; i < head_numbers(*version); i++)
        at = take_uint64_t(at, &head[i]);
    return ASIF_OK;
}

static asif_status read_size(asif_tree_size *n, uint32_t version, const uint64_t *head, uint64_t length,
                             asif_error *error) {
    *n = (asif_tree_size){.states_seen = (head[FLAGS] & STATES_SEEN) != 0,
                          .fractional = (head[FLAGS] & FRACTIONAL) != 0,
                          .ends_known = version != WITHOUT_ENDS,
                          .actions = head[ACTIONS],
                          .observations = head[OBSERVATIONS],
                          .starts = head[STARTS],
                          .nodes = head[NODES],
                          .levels = head[LEVELS],
                          .transitions = head[TRANSITIONS],
                          .units = head[UNITS],
                          .entries = head[ENTRIES],
                          .covariates = head[COVARIATES],
                          .text = head[TEXT],
                          .ends = head[ENDS],
                          .endings = head[ENDINGS],
                          .lost = head[LOST],
                          .completions = head[COMPLETIONS]};
    if (head[FLAGS] & ~(uint64_t)KNOWN_FLAGS)
        return fail_damaged(error, "it has a flag that is not known");
    uint64_t limit = length - head_bytes(version) - ASIF_SHA256_SIZE, bytes;
    const uint64_t large[] = {n->transitions, n->units,   n->entries, n->text,
                              n->ends,        n->endings, n->lost,    n->completions};
    const uint64_t small[] = {n->actions, n->observations, n->starts, n->nodes,
                              n->levels,  n->covariates,   n->ends};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (large[i] > limit)
            return fail_damaged(error, "one of its sizes is larger than the file");
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (small[i] >= ASIF_ANY)
            return fail_damaged(error, "one of its sizes is larger than any tree's");
    if (!array_bytes(n, limit, &bytes) || bytes != limit)
        return fail_damaged(error, "its length is not that of its arrays");
    if ((version == WITH_LOST) != (n->lost > 0) || n->starts == 0 ||
        (n->covariates && n->units > n->text / n->covariates) || n->covariates > n->text)
        return fail_damaged(error, "its sizes do not go together");
    return ASIF_OK;
}

/* ---- checks of a file: everything that users of a tree rely on ---- */

static bool good_amounts(const double *count, const uint64_t *part, uint64_t n, bool positive) {
    for (uint64_t i = 0; i < n; i++) {
        if (!(count[i] >= 0 && count[i] < ASIF_AMOUNT_LIMIT) || (positive && count[i] == 0))
            return false;
        asif_amount a = asif_amount_again(count[i], part ? part[i] : 0);
        if (a.whole < 0 || floor(a.whole) != a.whole || asif_amount_value(a) != count[i] || signbit(count[i]))
            return false;
    }
    return true;
}

static bool all_zero(const uint64_t *part, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        if (part[i])
            return false;
    return true;
}

static bool good_level(const asif_tree *t, uint64_t l) {
    const asif_tree_size *n = &t->size;
    for (uint64_t i = t->level[l]; i < t->level[l + 1]; i++) {
        uint32_t p = t->parent[i];
        if (p < t->level[l - 1] || p >= t->level[l] || t->action[i] >= n->actions ||
            (t->observation[i] != ASIF_ANY && t->observation[i] >= n->observations))
            return false;
        if (i == t->level[l])
            continue;
        uint64_t before = (uint64_t)t->action[i - 1] << 32 | t->observation[i - 1];
        uint64_t here = (uint64_t)t->action[i] << 32 | t->observation[i];
        if (p < t->parent[i - 1] || (p == t->parent[i - 1] && here <= before))
            return false;
    }
    return true;
}

static bool has_counts(const asif_tree *t, uint64_t node) {
    for (uint64_t k = node * t->size.actions; k < (node + 1) * t->size.actions; k++)
        if (t->count[k] > 0)
            return true;
    return false;
}

/* Check that every node without decisions leads to one with decisions, and that children are stored together,
 * in the order of their parents. `completed` [nodes] are those with decisions of a lost episode. */
static bool good_leaves(const asif_tree *t, const bool *completed) {
    uint64_t child = t->size.starts;
    for (uint64_t i = 0; i < t->size.nodes; i++) {
        bool parent = child < t->size.nodes && t->parent[child] == i;
        while (child < t->size.nodes && t->parent[child] == i)
            child++;
        if (i >= t->size.starts && !parent && !completed[i] && !has_counts(t, i))
            return false;
    }
    return true;
}

static bool good_nodes(const asif_tree *t, const bool *completed) {
    const asif_tree_size *n = &t->size;
    uint64_t roots = n->states_seen ? n->observations : n->starts;
    if (n->levels == 0 || t->level[0] != 0 || t->level[n->levels] != n->nodes || t->level[1] != roots)
        return false;
    if (n->states_seen && n->levels != 1)
        return false;
    for (uint64_t l = 1; l < n->levels; l++)
        if (t->level[l + 1] <= t->level[l] || t->level[l + 1] > n->nodes)
            return false;
    for (uint64_t i = 0; i < roots; i++)
        if (t->parent[i] != ASIF_ANY || t->action[i] != ASIF_ANY ||
            t->observation[i] != (n->states_seen ? (uint32_t)i : ASIF_ANY))
            return false;
    for (uint64_t l = 1; l < n->levels; l++)
        if (!good_level(t, l))
            return false;
    return n->states_seen || good_leaves(t, completed);
}

static bool good_transitions(const asif_tree *t) {
    const asif_tree_size *n = &t->size;
    if (!n->states_seen)
        return n->transitions == 0;
    for (uint64_t i = 0; i < n->transitions; i++) {
        if (t->from[i] >= n->observations || t->to[i] >= n->observations || t->did[i] >= n->actions)
            return false;
        if (i == 0 || t->from[i - 1] < t->from[i])
            continue;
        uint64_t before = (uint64_t)t->did[i - 1] << 32 | t->to[i - 1],
                 here = (uint64_t)t->did[i] << 32 | t->to[i];
        if (t->from[i - 1] > t->from[i] || before >= here)
            return false;
    }
    return true;
}

static bool good_units(const asif_tree *t) {
    const asif_tree_size *n = &t->size;
    if (t->unit[0] != 0 || t->unit[n->units] != n->entries)
        return false;
    for (uint64_t u = 0; u < n->units; u++) {
        if (t->unit[u + 1] < t->unit[u] || t->unit[u + 1] > n->entries)
            return false;
        for (uint64_t i = t->unit[u]; i < t->unit[u + 1]; i++) {
            if (t->entry_node[i] >= n->nodes || t->entry_action[i] >= n->actions)
                return false;
            uint64_t here = (uint64_t)t->entry_node[i] << 32 | t->entry_action[i];
            if (i > t->unit[u] && here <= ((uint64_t)t->entry_node[i - 1] << 32 | t->entry_action[i - 1]))
                return false;
        }
    }
    return true;
}

/* Check that no decision is followed by more ends than there are decisions. */
static bool good_end_counts(const asif_tree *t) {
    for (uint64_t i = 0, next; i < t->size.ends; i = next) {
        asif_amount sum = {0, 0},
                    most = asif_tree_count_at(t, t->end_node[i] * t->size.actions + t->end_action[i]);
        for (next = i; next < t->size.ends && t->end_node[next] == t->end_node[i] &&
                       t->end_action[next] == t->end_action[i];
             next++)
            asif_amount_add(&sum, asif_tree_end_at(t, next));
        if (sum.whole > most.whole || (sum.whole == most.whole && sum.part > most.part))
            return false;
    }
    return true;
}

static bool good_ends(const asif_tree *t) {
    const asif_tree_size *n = &t->size;
    if (n->states_seen && n->ends)
        return false;
    for (uint64_t i = 0; i < n->ends; i++) {
        if (t->end_node[i] >= n->nodes || t->end_action[i] >= n->actions ||
            t->end_observation[i] >= n->observations)
            return false;
        if (i == 0 || t->end_node[i - 1] < t->end_node[i])
            continue;
        uint64_t before = (uint64_t)t->end_action[i - 1] << 32 | t->end_observation[i - 1],
                 here = (uint64_t)t->end_action[i] << 32 | t->end_observation[i];
        if (t->end_node[i - 1] > t->end_node[i] || before >= here)
            return false;
    }
    if (t->unit_end[0] != 0 || t->unit_end[n->units] != n->endings)
        return false;
    for (uint64_t u = 0; u < n->units; u++) {
        if (t->unit_end[u + 1] < t->unit_end[u] || t->unit_end[u + 1] > n->endings)
            return false;
        for (uint64_t i = t->unit_end[u]; i < t->unit_end[u + 1]; i++)
            if (t->ending[i] >= n->ends || (i > t->unit_end[u] && t->ending[i] <= t->ending[i - 1]))
                return false;
    }
    return good_end_counts(t);
}

static bool good_unit_names(const asif_tree *t) {
    for (uint64_t u = 1; u < t->size.units; u++)
        if (asif_tree_name_order(asif_tree_unit_name(t, u - 1), asif_tree_unit_name(t, u)) >= 0)
            return false;
    return true;
}

static asif_status check_tree(asif_tree *t, asif_error *error) {
    const asif_tree_size *n = &t->size;
    const struct {
        const double *count;
        const uint64_t *part;
        uint64_t n;
        bool positive;
    } amounts[] = {{t->count, t->count_part, n->nodes * n->actions, false},
                   {t->transition_count, t->transition_part, n->transitions, true},
                   {t->entry_count, t->entry_part, n->entries, true},
                   {t->end_count, t->end_part, n->ends, true},
                   {t->ending_count, t->ending_part, n->endings, true}};
    bool whole = true;
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        const uint64_t *part = n->fractional ? amounts[i].part : NULL;
        if (!good_amounts(amounts[i].count, part, amounts[i].n, amounts[i].positive))
            return fail_damaged(error, "a count is not what a sum of weights can be");
        whole = whole && (!part || all_zero(part, amounts[i].n));
    }
    if (n->fractional && whole)
        return fail_damaged(error, "it promises parts of counts and has none");
    bool *completed = ASIF_ARRAY(t->context, n->nodes, bool);
    if (!completed)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < n->completions; i++)
        if (t->completion_node[i] < n->nodes)
            completed[t->completion_node[i]] = true;
    bool good = good_nodes(t, completed);
    asif_free(t->context, completed);
    if (!good)
        return fail_damaged(error, "its nodes do not form a tree in the order of their labels");
    if (!good_transitions(t))
        return fail_damaged(error, "its transitions are not in order");
    if (!good_units(t))
        return fail_damaged(error, "its units are not in order");
    if (!good_ends(t))
        return fail_damaged(error, "what followed its last decisions does not go with its nodes and units");
    if (!asif_tree_good_lost(t))
        return fail_damaged(error, "its lost results do not go with its nodes and units");
    ASIF_TRY(asif_tree_seal(t, error));
    if (!good_unit_names(t))
        return fail_damaged(error, "the names of its units are not in order");
    return ASIF_OK;
}

asif_status asif_tree_load_bytes(asif_tree **out, const asif_context *context, const void *bytes,
                                 uint64_t length, asif_error *error) {
    *out = NULL;
    uint64_t head[HEAD_NUMBERS] = {0};
    uint32_t version;
    asif_tree_size size;
    ASIF_TRY(read_head(bytes, length, &version, head, error));
    ASIF_TRY(read_size(&size, version, head, length, error));
    asif_tree *t;
    ASIF_TRY(asif_tree_alloc(&t, context, &size, error));
    const asif_tree_size *n = &t->size;
    const uint8_t *at = (const uint8_t *)bytes + head_bytes(version);
#define X(type, array, elements)                                                                             \
    for (uint64_t i = 0, count = (elements); i < count; i++)                                                 \
        at = take_##type(at, &t->array[i]);
    ASIF_TREE_ARRAYS_1(X)
    if (n->ends_known) {
        ASIF_TREE_ARRAYS_2(X)
    }
    if (n->lost) {
        ASIF_TREE_ARRAYS_3(X)
    }
#undef X
    t->info = (asif_logs_info){.rows = head[ROWS],
                               .excluded = head[EXCLUDED],
                               .subjects = head[SUBJECTS],
                               .episodes = head[EPISODES],
                               .decisions = head[DECISIONS],
                               .longest = head[LONGEST],
                               .sorted = (head[FLAGS] & SORTED) != 0};
    asif_status status = check_tree(t, error);
    if (status != ASIF_OK) {
        asif_tree_free(t);
        return status;
    }
    *out = t;
    return ASIF_OK;
}

asif_status asif_tree_load(asif_tree **out, const asif_context *context, const char *path,
                           asif_error *error) {
    *out = NULL;
    char *bytes;
    uint64_t length;
    ASIF_TRY(asif_os_read_file(&bytes, &length, context, path, error));
    asif_status status = asif_tree_load_bytes(out, context, bytes, length, error);
    if (status != ASIF_OK)
        asif_error_at(error, path, 0, 0);
    asif_free(context, bytes);
    return status;
}

bool asif_tree_recognise(const char *path) {
    asif_os_stream stream;
    /* Bytes that were read from a pipe could not be read again, so a pipe is not looked at. */
    if (!asif_file_reads_again(path) || asif_os_open(&stream, path, NULL) != ASIF_OK)
        return false;
    char start[sizeof magic];
    uint64_t used = 0, got = 1;
    bool readable = true;
    while (readable && used < sizeof start && got > 0) {
        readable = asif_os_read(&stream, start + used, sizeof start - used, &got, NULL) == ASIF_OK;
        used += readable ? got : 0;
    }
    asif_os_close(&stream);
    return readable && used == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}
