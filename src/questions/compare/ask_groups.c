/* The inputs of a comparison of groups: the fits, and their names. */
#include "base/error.h"
#include "base/text.h"
#include "questions/compare/compare.h"

#include <string.h>

typedef struct {
    asif_asking *asking;
    uint32_t count;
    const char **folder, **name;      /* [count] */
    asif_result_view *view;           /* [count] */
    asif_compare_groups_group *group; /* [count] */
} groups;

static void discard_fits(void *fits) {
    asif_fits_free(fits);
}

/* ---- fits ---- */

static asif_status find_fits(asif_fits_view *out, asif_asking *asking, const char *folder,
                             asif_error *error) {
    asif_fits *fits = NULL;
    ASIF_TRY(asif_fits_find(&fits, asking->context, folder, error));
    ASIF_TRY(asif_asking_own(asking, fits, discard_fits, error));
    *out = (asif_fits_view){.struct_size = sizeof *out};
    ASIF_TRY(asif_fits_get(fits, out, error));
    return asif_fits_check(fits, folder, true, asking->problems, error);
}

static asif_status only_one(asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "there is only one fit: nothing to compare it with");
    asif_error_hint(error, "give a folder that `asif fit --by` made, or several folders");
    return ASIF_EINVALID;
}

/* Find the fits: each operand is a fit, or a folder of groups. */
static asif_status find_folders(groups *g, asif_error *error) {
    asif_asking *asking = g->asking;
    asif_fits_view *found = ASIF_ARENA_ARRAY(&asking->arena, asking->operands, asif_fits_view);
    uint32_t taken = 0;
    if (!found)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < asking->operands; i++) {
        ASIF_TRY(find_fits(&found[i], asking, asking->operand[i], error));
        g->count += found[i].finished;
    }
    if (g->count < 2)
        return only_one(error);
    g->folder = ASIF_ARENA_ARRAY(&asking->arena, g->count, const char *);
    if (!g->folder)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < asking->operands; i++)
        for (uint32_t k = 0; k < found[i].fits; k++)
            if (found[i].fit[k].finished)
                g->folder[taken++] = found[i].grouped ? found[i].fit[k].path : asking->operand[i];
    return ASIF_OK;
}

/* ---- names ---- */

/* Ways to name a fit: by the value of its group, by the last part of its folder, or by the whole folder. */
typedef enum { BY_VALUE, BY_LAST_PART, BY_FOLDER, WAYS } way;

static const char *called(const groups *g, uint32_t i, way by) {
    const char *folder = g->folder[i];
    size_t end = strlen(folder), begin = 0;
    while (end > 1 && folder[end - 1] == '/')
        end--;
    if (by == BY_LAST_PART)
        for (begin = end; begin > 0 && folder[begin - 1] != '/'; begin--)
            ;
    return asif_arena_text(&g->asking->arena, folder + begin, end - begin);
}

/* Name all fits in one way; *good becomes whether all have a name, and no two the same. */
static asif_status name_all(bool *good, groups *g, way by, asif_error *error) {
    *good = true;
    for (uint32_t i = 0; *good && i < g->count; i++) {
        g->name[i] = by == BY_VALUE ? g->view[i].group_value : called(g, i, by);
        if (!g->name[i] && by != BY_VALUE)
            return asif_fail_memory(error);
        *good = g->name[i];
        for (uint32_t k = 0; *good && k < i; k++)
            *good = strcmp(g->name[i], g->name[k]) != 0;
    }
    return ASIF_OK;
}

static asif_status find_names(groups *g, asif_error *error) {
    bool good = false;
    for (way by = BY_VALUE; !good && by < WAYS; by++)
        ASIF_TRY(name_all(&good, g, by, error));
    return good ? ASIF_OK : asif_fail(error, ASIF_EINVALID, "the same folder is given twice");
}

static asif_status find_first(uint32_t *first, const groups *g, const char *wanted, asif_error *error) {
    *first = 0;
    if (!wanted)
        return ASIF_OK;
    for (; *first < g->count; ++*first)
        if (strcmp(g->name[*first], wanted) == 0)
            return ASIF_OK;
    const char *near = asif_nearest_word(wanted, g->name, g->count);
    asif_fail(error, ASIF_EINVALID, "there is no group '%s'", asif_show(wanted).text);
    asif_error_hint(error, "did you mean '%s'?%s", near ? near : g->name[0],
                    near ? "" : " It is the first of them");
    return ASIF_EINVALID;
}

/* ---- the comparison ---- */

static asif_status load(groups *g, asif_error *error) {
    asif_arena *arena = &g->asking->arena;
    g->name = ASIF_ARENA_ARRAY(arena, g->count, const char *);
    g->view = ASIF_ARENA_ARRAY(arena, g->count, asif_result_view);
    g->group = ASIF_ARENA_ARRAY(arena, g->count, asif_compare_groups_group);
    if (!g->name || !g->view || !g->group)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < g->count; i++)
        ASIF_TRY(asif_asking_fit(g->asking, g->folder[i], &g->view[i], error));
    return find_names(g, error);
}

/* The column by which all groups are defined; NULL: there is none. */
static const char *common_column(const groups *g) {
    const char *column = g->view[0].group_column;
    for (uint32_t i = 1; column && i < g->count; i++)
        if (!g->view[i].group_column || strcmp(g->view[i].group_column, column) != 0)
            return NULL;
    return column;
}

static void describe(asif_comparison *out, groups *g) {
    for (uint32_t i = 0; i < g->count; i++) {
        const asif_result_view *view = &g->view[i];
        g->group[i] = (asif_compare_groups_group){.struct_size = sizeof g->group[i],
                                                  .name = g->name[i],
                                                  .fitted = view->fitted,
                                                  .trusted = view->trusted,
                                                  .missed = view->missed,
                                                  .doubted = view->doubted,
                                                  .likelihood = view->method == ASIF_FIT_ML,
                                                  .people = view->people};
        out->trusted = out->trusted && view->trusted;
        if (view->rivals)
            asif_asking_note(g->asking,
                             "the fit of %s has rival explanations, which its numbers here mix; `asif "
                             "summary` shows each",
                             g->name[i]);
    }
}

asif_status asif_compare_ask_groups(asif_comparison *out, asif_asking *asking, asif_error *error) {
    const asif_compare_asked *asked = asking->options;
    asif_compare_groups_options options = ASIF_COMPARE_GROUPS_OPTIONS_INIT;
    groups g = {.asking = asking};
    ASIF_TRY(find_folders(&g, error));
    ASIF_TRY(load(&g, error));
    ASIF_TRY(find_first(&options.first, &g, asked->first, error));
    describe(out, &g);
    asif_asking_tell(asking);
    options.title = g.view[options.first].title;
    options.column = common_column(&g);
    options.numbers_only = asked->numbers;
    options.seed = asked->seed.value;
    asif_option_count(&options.draws, &asked->draws);
    asif_option_count64(&options.episodes, &asked->episodes);
    asif_option_count(&options.max_steps, &asked->max_steps);
    return asif_compare_groups_run(&out->groups, g.group, g.count, &options, error);
}
