/* Saved trees: the bytes that the documentation says, nothing lost, nothing damaged accepted or half-written.
 */
#include "random_logs.h"

#include "base/os.h"
#include "base/sha256.h"
#include "logs/tree/tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static asif_context *context;
static char folder[] = "tree-file-XXXXXX";
static char path[64];

static void empty_folder(void) {
    DIR *open = opendir(folder);
    assert_non_null(open);
    for (struct dirent *entry = readdir(open); entry; entry = readdir(open)) {
        char name[512];
        (void)snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        (void)unlink(name);
    }
    closedir(open);
}

static int set_up(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/logs.tree", folder);
    return asif_context_create(&context, NULL, NULL);
}

static int tear_down(void **state) {
    (void)state;
    empty_folder();
    asif_context_free(context);
    return rmdir(folder);
}

static asif_tree *random_tree(uint32_t episodes, uint64_t *seed) {
    random_logs l = make_logs(episodes, seed);
    asif_tree *tree;
    assert_int_equal(make_tree(&tree, context, &l, NULL, 0, l.episodes, NULL), ASIF_OK);
    free(l.episode);
    return tree;
}

static void nothing_is_lost(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint32_t round = 0; round < 60; round++) {
        asif_tree *tree = random_tree(below(60, &seed), &seed), *again;
        assert_int_equal(asif_tree_save(tree, path, NULL), ASIF_OK);
        assert_true(asif_tree_recognise(path));
        assert_int_equal(asif_tree_load(&again, context, path, NULL), ASIF_OK);
        CHECK(!difference(tree, again), "round %u: %s", round, difference(tree, again));
        for (uint64_t i = 0; i < tree->names; i++)
            assert_string_equal(tree->name[i], again->name[i]);
        asif_tree_free(tree);
        asif_tree_free(again);
    }
}

/* ---- the bytes, put together by hand ---- */

typedef struct {
    uint8_t bytes[1024];
    size_t length;
} paper;

static void put(paper *p, uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        p->bytes[p->length++] = (uint8_t)(number >> 8 * i);
}

static void put_all(paper *p, const uint64_t *numbers, size_t count, unsigned bytes) {
    for (size_t i = 0; i < count; i++)
        put(p, numbers[i], bytes);
}
#define PUT(p, bytes, ...)                                                                                   \
    put_all((p), (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8, (bytes))

static uint64_t notes_of(const asif_tree *tree) {
    asif_problems *problems;
    assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
    asif_tree_note(tree, "logs.tree", problems);
    uint64_t found = asif_problems_found(problems, ASIF_PROBLEM_NOTE);
    if (found)
        assert_non_null(strstr(asif_problems_get(problems, 0, NULL)->message, "version 1"));
    asif_problems_free(problems);
    return found;
}

/* The same tree but for its ends, which it says; and what is merged with it has none. */
static void check_version_1(const asif_tree *tree, const asif_tree *old) {
    asif_tree *both, *without, *twice;
    assert_int_equal(notes_of(tree), 0);
    assert_int_equal(notes_of(old), 1);
    assert_true(asif_tree_inside(tree)->ends_known && asif_tree_inside(tree)->ends == 1);
    assert_false(asif_tree_inside(old)->ends_known);
    assert_int_equal(asif_tree_merge(&both, tree, old, NULL), ASIF_OK);
    assert_int_equal(asif_tree_merge(&twice, old, tree, NULL), ASIF_OK);
    assert_int_equal(asif_tree_merge(&without, old, old, NULL), ASIF_OK);
    CHECK(!difference(both, without), "%s", difference(both, without));
    CHECK(!difference(both, twice), "%s", difference(both, twice));
    assert_false(asif_tree_inside(both)->ends_known);
    assert_int_equal(asif_tree_inside(both)->ends, 0);
    asif_tree *const made[] = {both, without, twice};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        asif_tree_free(made[i]);
    assert_int_equal(asif_tree_select_units(&both, old, NULL, NULL, true, NULL), ASIF_OK);
    assert_false(asif_tree_inside(both)->ends_known);
    asif_tree_free(both);
}

/* Two episodes of unit "u": wait, seen nothing, stop (weight 1.5), seen x; and stop at once. As versions 1
 * and 2. */
static void bytes_as_documented(void **state) {
    (void)state;
    asif_tree_builder *b;
    asif_tree *tree, *old;
    const char *const actions[] = {"stop", "wait"}, *const observations[] = {"x"}, *const units[] = {"u"};
    const char *const covariate_name[] = {"age"}, *const covariate[] = {"40"};
    assert_int_equal(asif_tree_begin(&b, context, 1, false, NULL), ASIF_OK);
    assert_int_equal(asif_tree_episode(b, 0, 0, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 1, 1, 1, NULL), ASIF_OK);
    assert_int_equal(asif_tree_move(b, 1, ASIF_ANY, 1, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 0, 1.5, 2, NULL), ASIF_OK);
    assert_int_equal(asif_tree_move(b, 0, 0, 2, NULL), ASIF_OK);
    assert_int_equal(asif_tree_episode(b, 0, 0, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 0, 1, 3, NULL), ASIF_OK);
    asif_tree_labels labels = {2, 1, actions, observations};
    asif_tree_units of = {1, units, 1, covariate_name, covariate};
    asif_logs_info info = {
        .rows = 4, .excluded = 1, .subjects = 1, .episodes = 2, .decisions = 3, .longest = 2, .sorted = true};
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, &of, &info, NULL), ASIF_OK);

    char *bytes;
    uint64_t length;
    for (uint32_t version = 1; version <= 2; version++) {
        paper p = {.length = 0};
        const uint64_t one = 0x3ff0000000000000, one_and_a_half = 0x3ff8000000000000,
                       half = 0x8000000000000000;
        memcpy(p.bytes, "asif-tree\0\0\0", p.length = 12);
        put(&p, version, 4);
        PUT(&p, 8, 2 + 4);                     /* not whole, sorted */
        PUT(&p, 8, 2, 1, 1, 2, 2, 0, 1, 3, 1); /* actions ... covariates */
        PUT(&p, 8, 5 + 5 + 2 + 4 + 2 + 3);     /* bytes of names */
        PUT(&p, 8, 4, 1, 1, 2, 3, 2);          /* rows ... longest */
        if (version == 2)
            PUT(&p, 8, 1, 1);                                     /* ends, and by unit */
        PUT(&p, 8, 0, 1, 2);                                      /* level */
        PUT(&p, 8, 1, 1);                                         /* first_row */
        PUT(&p, 8, one, one, one_and_a_half, 0);                  /* count */
        PUT(&p, 8, 0, 0, half, 0);                                /* its parts */
        PUT(&p, 8, 0, 3);                                         /* unit */
        PUT(&p, 8, one, one, one_and_a_half);                     /* entry_count */
        PUT(&p, 8, 0, 0, half);                                   /* its parts */
        PUT(&p, 4, ASIF_ANY, 0, ASIF_ANY, 1, ASIF_ANY, ASIF_ANY); /* parent, action, observation */
        PUT(&p, 4, 0, 0, 1, 0, 1, 0);                             /* entry_node, entry_action */
        memcpy(p.bytes + p.length,
               "stop\0wait\0x\0age\0u\0"
               "40",
               21);
        p.length += 21;
        if (version == 2) {
            PUT(&p, 8, one_and_a_half, half); /* end count and its part */
            PUT(&p, 8, 0, 1);                 /* unit's ends */
            PUT(&p, 8, one_and_a_half, half); /* their count and its part */
            PUT(&p, 4, 1, 0, 0, 0);           /* node, action, observation; number of the unit's end */
        }
        asif_sha256_of(p.bytes, p.length, p.bytes + p.length);
        p.length += 32;
        if (version == 2) {
            assert_int_equal(asif_tree_save(tree, path, NULL), ASIF_OK);
            assert_int_equal(asif_os_read_file(&bytes, &length, context, path, NULL), ASIF_OK);
        } else { /* what an earlier asif wrote is read, and written as it was */
            assert_int_equal(asif_tree_load_bytes(&old, context, p.bytes, p.length, NULL), ASIF_OK);
            assert_int_equal(asif_tree_bytes(&bytes, &length, old, NULL), ASIF_OK);
        }
        assert_int_equal(length, p.length);
        assert_memory_equal(bytes, p.bytes, p.length);
        asif_memory_free(context, bytes);
    }
    check_version_1(tree, old);
    asif_tree_free(tree);
    asif_tree_free(old);
}

/* ---- damage ---- */

static void cut_or_changed(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (uint32_t round = 0; round < 4; round++) {
        asif_tree *tree = random_tree(8, &seed), *again;
        char *bytes;
        uint64_t length;
        assert_int_equal(asif_tree_bytes(&bytes, &length, tree, NULL), ASIF_OK);
        for (uint64_t i = 0; i < length; i++) {
            asif_error error = ASIF_ERROR_INIT;
            /* of exactly that size, so that the address sanitizer sees a step past the end */
            char *cut = malloc((size_t)i + 1);
            memcpy(cut, bytes, (size_t)i);
            assert_int_equal(asif_tree_load_bytes(&again, context, cut, i, &error), ASIF_EPARSE);
            assert_null(again);
            assert_true(error.message[0] && error.hint[0]);
            free(cut);
            bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
            assert_int_equal(asif_tree_load_bytes(&again, context, bytes, length, NULL), ASIF_EPARSE);
            bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
        }
        assert_int_equal(asif_tree_load_bytes(&again, context, bytes, length, NULL), ASIF_OK);
        asif_tree_free(again);
        asif_tree_free(tree);
        asif_memory_free(context, bytes);
    }
}

/* With a digest that fits, what was changed is refused, or is a tree whose file is just that. */
static void changed_with_care(void **state) {
    (void)state;
    uint64_t seed = 3, accepted = 0;
    for (uint32_t round = 0; round < 10; round++) {
        asif_tree *tree = random_tree(10, &seed), *again;
        char *bytes, *twice;
        uint64_t length, twice_length;
        assert_int_equal(asif_tree_bytes(&bytes, &length, tree, NULL), ASIF_OK);
        for (uint32_t i = 0; i < 1000; i++) {
            uint64_t at = (uint64_t)(make_uniform(&seed) * (double)(length - ASIF_SHA256_SIZE));
            char kept = bytes[at];
            bytes[at] = (char)(below(2, &seed) ? kept ^ 1 << below(8, &seed) : (int)below(256, &seed));
            asif_sha256_of(bytes, length - ASIF_SHA256_SIZE, (uint8_t *)bytes + length - ASIF_SHA256_SIZE);
            asif_status status = asif_tree_load_bytes(&again, context, bytes, length, NULL);
            assert_true(status == ASIF_OK || status == ASIF_EPARSE || status == ASIF_ETOOBIG);
            if (status == ASIF_OK) {
                assert_int_equal(asif_tree_bytes(&twice, &twice_length, again, NULL), ASIF_OK);
                assert_int_equal(twice_length, length);
                assert_memory_equal(bytes, twice, length);
                asif_memory_free(context, twice);
                asif_tree_free(again);
                accepted++;
            }
            bytes[at] = kept;
        }
        asif_memory_free(context, bytes);
        asif_tree_free(tree);
    }
    assert_true(accepted > 100); /* rows, names, whole counts */
}

/* ---- every rule of the documentation is checked: a tree that breaks one, in a file with the right digest
 * ---- */

/* Where states are not seen: roots 0, 1; node 2 = (0; a, a), 3 = (0; a, b), 4 = (3; b, nothing); units p9,
 * p10, of which p10 ends with b, b at 2 (end 0), and p9 with b, a at 4 (end 1). */
static asif_tree *rule_tree(bool states_seen) {
    asif_tree_builder *b;
    asif_tree *tree;
    const char *const units[] = {"p10", "p9"};
    static const uint32_t seen[2][3] = {{0, 1, 0}, {1, ASIF_ANY, 0}}, did[3] = {0, 1, 1};
    assert_int_equal(asif_tree_begin(&b, context, 2, states_seen, NULL), ASIF_OK);
    for (uint32_t e = 0; e < 2; e++) {
        assert_int_equal(asif_tree_episode(b, 0, e, NULL), ASIF_OK);
        for (uint32_t i = 0; i < 2 + e; i++)
            if (states_seen) {
                assert_int_equal(asif_tree_state(b, i % 2, did[i], (i + 1) % 2, 1.25, 1 + i, NULL), ASIF_OK);
            } else {
                assert_int_equal(asif_tree_act(b, did[i], 1.25, 1 + i, NULL), ASIF_OK);
                assert_int_equal(asif_tree_move(b, did[i], seen[e][i], 1 + i, NULL), ASIF_OK);
            }
    }
    asif_tree_labels labels = {2, 2, label_text, label_text};
    asif_tree_units of = {2, units, 1, covariate_names, covariate_text};
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, &of, NULL, NULL), ASIF_OK);
    return tree;
}

/* Break a rule; NULL if there are no more. */
static const char *break_rule(asif_tree *t, uint32_t rule, bool states_seen) {
    static const uint32_t any = ASIF_ANY;
    const struct {
        void *at;
        const void *value;
        size_t size;
        const char *word;
    } both[] =
        {
            {&t->count[0], &(double){-1}, 8, "count"},
            {&t->count[0], &(double){NAN}, 8, "count"},
            {&t->count[0], &(double){INFINITY}, 8, "count"},
            {&t->count[0], &(double){2.625}, 8, "count"}, /* its part says .5 */
            {&t->count_part[0], &(uint64_t){0}, 8, "count"},
            {&t->entry_count[0], &(double){0}, 8, "count"},
            {&t->level[0], &(uint64_t){1}, 8, "nodes"},
            {&t->level[1], &(uint64_t){1}, 8, "nodes"},
            {&t->parent[0], &(uint32_t){0}, 4, "nodes"},
            {&t->action[1], &(uint32_t){0}, 4, "nodes"},
            {&t->observation[1], &(uint32_t){0}, 4, "nodes"},
            {&t->unit[0], &(uint64_t){1}, 8, "units"},
            {&t->unit[1], &(uint64_t){100}, 8, "units"},
            {&t->unit[2], &(uint64_t){1}, 8, "units"},
            {&t->entry_node[1], &(uint32_t){5}, 4, "units"},
            {&t->entry_node[1], &(uint32_t){0}, 4, ""}, /* (0, 0) and (0, 1) are in order */
            {&t->entry_action[0], &(uint32_t){2}, 4, "units"},
            {t->text + t->size.text - 1, "x", 1, "names"},
            {t->text, "\0", 1, "names"},
            {t->text + 12, "p8", 2, ""},
            {t->text + 12, "pb", 2, "names of its units"},
            {&t->size.starts, &(uint64_t){0}, 8, "sizes"},
            {&t->size.starts, &(uint64_t){1}, 8, states_seen ? "" : "nodes"},
            {&t->size.starts, &(uint64_t){1ull << 40}, 8, "sizes"},
            {&t->size.covariates, &(uint64_t){2}, 8, "names"},
            {&t->size.covariates, &(uint64_t){1000}, 8, "sizes"},
            {&t->size.states_seen, &(bool){!states_seen}, sizeof(bool), "nodes"},
        },
      histories[] =
          {
              {&t->entry_node[0], &(uint32_t){4}, 4, "units"},
              {&t->entry_node[0], &(uint32_t){3}, 4, ""},
              {&t->level[2], &(uint64_t){2}, 8, "nodes"},
              {&t->level[2], &(uint64_t){100}, 8, "nodes"},
              {&t->parent[2], &(uint32_t){3}, 4, "nodes"},
              {&t->parent[2], &any, 4, "nodes"},
              {&t->parent[2], &(uint32_t){1}, 4, "nodes"},
              {&t->parent[4], &(uint32_t){1}, 4, "nodes"},
              {&t->action[2], &(uint32_t){2}, 4, "nodes"},
              {&t->action[2], &(uint32_t){1}, 4, "nodes"},
              {&t->observation[2], &(uint32_t){2}, 4, "nodes"},
              {&t->observation[2], &(uint32_t){1}, 4, "nodes"}, /* as its sister's */
              {&t->observation[4], &(uint32_t){1}, 4, ""},
              {&t->parent[4], &(uint32_t){2}, 4, ""},
              {&t->end_count[0], &(double){0}, 8, "count"},
              {&t->end_count[0], &(double){1.5}, 8, "count"},           /* its part says .25 */
              {&t->end_count[0], &(double){2.25}, 8, "last decisions"}, /* more than acted there */
              {&t->end_node[1], &(uint32_t){5}, 4, "last decisions"},
              {&t->end_node[0], &(uint32_t){4}, 4, "last decisions"},
              {&t->end_node[1], &(uint32_t){3}, 4, ""}, /* b was done there, too */
              {&t->end_action[0], &(uint32_t){2}, 4, "last decisions"},
              {&t->end_action[0], &(uint32_t){0}, 4, "last decisions"}, /* nobody did a there */
              {&t->end_observation[1], &(uint32_t){2}, 4, "last decisions"},
              {&t->end_observation[1], &any, 4, "last decisions"},
              {&t->end_observation[1], &(uint32_t){1}, 4, ""},
              {&t->unit_end[0], &(uint64_t){1}, 8, "last decisions"},
              {&t->unit_end[1], &(uint64_t){3}, 8, "last decisions"},
              {&t->unit_end[1], &(uint64_t){0}, 8, "last decisions"}, /* 1, 0 are not in order */
              {&t->unit_end[2], &(uint64_t){1}, 8, "last decisions"},
              {&t->ending[0], &(uint32_t){2}, 4, "last decisions"},
              {&t->ending[0], &(uint32_t){0}, 4, ""},
              {&t->ending_count[0], &(double){0}, 8, "count"},
          },
      states[] = {
          {&t->from[0], &(uint32_t){2}, 4, "transitions"},
          {&t->from[0], &(uint32_t){1}, 4, "transitions"},
          {&t->did[0], &(uint32_t){2}, 4, "transitions"},
          {&t->did[1], &(uint32_t){0}, 4, "transitions"}, /* twice the same */
          {&t->to[1], &(uint32_t){2}, 4, "transitions"},
          {&t->transition_count[0], &(double){0}, 8, "count"},
      };
    enum { BOTH = sizeof both / sizeof *both, HISTORIES = sizeof histories / sizeof *histories };
    uint32_t more = states_seen ? sizeof states / sizeof *states : HISTORIES;
    if (rule >= BOTH + more)
        return NULL;
    uint32_t k = rule - BOTH;
    if (rule < BOTH)
        memcpy(both[rule].at, both[rule].value, both[rule].size);
    else if (states_seen)
        memcpy(states[k].at, states[k].value, states[k].size);
    else
        memcpy(histories[k].at, histories[k].value, histories[k].size);
    return rule < BOTH ? both[rule].word : states_seen ? states[k].word : histories[k].word;
}

static void every_rule_is_checked(void **state) {
    (void)state;
    for (uint32_t states_seen = 0; states_seen < 2; states_seen++)
        for (uint32_t rule = 0;; rule++) {
            asif_tree *tree = rule_tree(states_seen), *again;
            asif_tree_size size = tree->size;
            assert_string_equal(tree->text + 12, "p9");
            const char *word = break_rule(tree, rule, states_seen);
            if (!word) {
                asif_tree_free(tree);
                break;
            }
            asif_error error = ASIF_ERROR_INIT;
            char *bytes;
            uint64_t length;
            assert_int_equal(asif_tree_bytes(&bytes, &length, tree, NULL), ASIF_OK);
            asif_status status = asif_tree_load_bytes(&again, context, bytes, length, &error);
            CHECK((status == ASIF_EPARSE) == (word[0] != 0) && strstr(error.message, word),
                  "states seen %u, rule %u: status %d, \"%s\" should say %s", states_seen, rule, status,
                  error.message, word);
            asif_memory_free(context, bytes);
            asif_tree_free(again);
            tree->size = size;
            asif_tree_free(tree);
        }
}

/* A leaf at which nobody acted, and parts that are promised and not there. */
static void what_a_builder_never_makes(void **state) {
    (void)state;
    asif_tree *tree = rule_tree(false), *again;
    asif_error error = ASIF_ERROR_INIT;
    char *bytes;
    uint64_t length;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < (round ? tree->size.nodes : 1) * 2; i++) {
            uint64_t at = round ? i : 2 * (tree->size.nodes - 1) + i;
            tree->count[at] = round ? 1 : 0;
            tree->count_part[at] = 0;
        }
        for (uint64_t i = 0; round && i < tree->size.entries; i++) {
            tree->entry_count[i] = 1;
            tree->entry_part[i] = 0;
        }
        for (uint64_t i = 0; round && i < tree->size.ends; i++) {
            tree->end_count[i] = tree->ending_count[i] = 1;
            tree->end_part[i] = tree->ending_part[i] = 0;
        }
        assert_int_equal(asif_tree_bytes(&bytes, &length, tree, NULL), ASIF_OK);
        assert_int_equal(asif_tree_load_bytes(&again, context, bytes, length, &error), ASIF_EPARSE);
        assert_non_null(strstr(error.message, round ? "parts" : "nodes"));
        asif_memory_free(context, bytes);
    }
    asif_tree_free(tree);
}

static void other_files(void **state) {
    (void)state;
    uint64_t seed = 4;
    asif_tree *tree = random_tree(20, &seed), *again;
    asif_error error = ASIF_ERROR_INIT;
    char *bytes;
    uint64_t length;
    assert_int_equal(asif_tree_bytes(&bytes, &length, tree, NULL), ASIF_OK);
    bytes[12] = 4;
    assert_int_equal(asif_tree_load_bytes(&again, context, bytes, length, &error), ASIF_EPARSE);
    assert_non_null(strstr(error.message, "version 4"));
    static const char table[] = "episode,t,action,observation\n1,0,wait,x\n";
    assert_int_equal(asif_tree_load_bytes(&again, context, table, sizeof table - 1, &error), ASIF_EPARSE);
    assert_non_null(strstr(error.message, "not a saved tree"));
    assert_int_equal(asif_file_write(context, path, table, sizeof table - 1, NULL, NULL), ASIF_OK);
    assert_false(asif_tree_recognise(path));
    assert_int_equal(asif_tree_load(&again, context, path, &error), ASIF_EPARSE);
    assert_string_equal(error.file, path);
    assert_int_equal(asif_file_write(context, path, "asif", 4, NULL, NULL), ASIF_OK);
    assert_false(asif_tree_recognise(path));
    assert_false(asif_tree_recognise("-"));
    assert_false(asif_tree_recognise(folder));
    empty_folder();
    assert_false(asif_tree_recognise(path));
    assert_int_equal(asif_tree_load(&again, context, path, &error), ASIF_ENOFILE);
    asif_memory_free(context, bytes);
    asif_tree_free(tree);
}

/* ---- a write cut short ---- */

static bool is_tree(const asif_tree *tree) {
    asif_tree *found;
    assert_int_equal(asif_tree_load(&found, context, path, NULL), ASIF_OK);
    bool same = difference(found, tree) == NULL;
    asif_tree_free(found);
    return same;
}

static void no_room_on_the_disk(void **state) {
    (void)state;
    uint64_t seed = 5;
    asif_tree *old = random_tree(10, &seed), *tree = random_tree(400, &seed);
    char *bytes;
    uint64_t length;
    assert_int_equal(asif_tree_bytes(&bytes, &length, tree, NULL), ASIF_OK);
    for (uint64_t room = 0; room < length; room += 1 + length / 10) {
        empty_folder();
        assert_int_equal(asif_tree_save(old, path, NULL), ASIF_OK);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct rlimit limit = {(rlim_t)room, (rlim_t)room};
            asif_error error = ASIF_ERROR_INIT;
            (void)signal(SIGXFSZ, SIG_IGN);
            if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
                _exit(9);
            _exit(asif_tree_save(tree, path, &error) == ASIF_EIO && error.message[0] && error.file[0] ? 0
                                                                                                      : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_true(is_tree(old));
        /* and no remains beside it */
        DIR *open = opendir(folder);
        uint32_t files = 0;
        for (struct dirent *entry = readdir(open); entry; entry = readdir(open))
            files += entry->d_name[0] != '.';
        closedir(open);
        assert_int_equal(files, 1);
    }
    asif_memory_free(context, bytes);
    asif_tree_free(old);
    asif_tree_free(tree);
}

static void killed_at_any_moment(void **state) {
    (void)state;
    uint64_t seed = 6;
    random_logs l = make_logs(1000, &seed);
    asif_tree *tree[2];
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(make_tree(&tree[i], context, &l, NULL, 0, l.episodes - i, NULL), ASIF_OK);
    double before = asif_os_seconds();
    assert_int_equal(asif_tree_save(tree[0], path, NULL), ASIF_OK);
    double one_save = asif_os_seconds() - before;
    uint32_t seen[2] = {0};
    for (uint32_t round = 0; round < 30; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            for (uint32_t i = round;; i++)
                if (asif_tree_save(tree[i % 2], path, NULL) != ASIF_OK)
                    _exit(1);
        double wait = 6 * one_save * make_uniform(&seed);
        struct timespec pause = {(time_t)wait, (long)((wait - floor(wait)) * 1e9)};
        (void)nanosleep(&pause, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        uint32_t which = is_tree(tree[0]) ? 0 : 1;
        assert_true(which == 0 || is_tree(tree[1]));
        seen[which]++;
    }
    CHECK(seen[0] > 0 && seen[1] > 0, "the moments were not spread: %u and %u", seen[0], seen[1]);
    asif_tree_free(tree[0]);
    asif_tree_free(tree[1]);
    free(l.episode);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),       cmocka_unit_test(bytes_as_documented),
        cmocka_unit_test(cut_or_changed),        cmocka_unit_test(changed_with_care),
        cmocka_unit_test(every_rule_is_checked), cmocka_unit_test(what_a_builder_never_makes),
        cmocka_unit_test(other_files),           cmocka_unit_test(no_room_on_the_disk),
        cmocka_unit_test(killed_at_any_moment),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
