#include "engine/places/menus.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Find the menu with a row of availability, or begin a new one. */
static uint32_t find(asif_menus *m, const bool *available) {
    for (uint32_t i = 0; i < m->count; i++)
        if (memcmp(m->menu[i].available, available, m->actions * sizeof *available) == 0)
            return i;
    m->menu[m->count].available = available;
    return m->count++;
}

static bool all(const bool *available, uint64_t count) {
    bool good = true;
    for (uint64_t i = 0; i < count; i++)
        good = good && available[i];
    return good;
}

asif_status asif_menus_create(asif_menus *m, const asif_context *context, const asif_setting_spec *spec,
                              asif_error *error) {
    uint32_t U = spec->actions;
    *m = (asif_menus){.seen = asif_seen_values(spec), .actions = U};
    bool one = !spec->available || all(spec->available, (uint64_t)m->seen * U);
    m->menu = ASIF_ARRAY(context, one ? 1 : m->seen, asif_menu);
    m->of = ASIF_ARRAY(context, one ? 1 : m->seen, uint32_t);
    if (!m->menu || !m->of)
        return asif_fail_memory(error);
    m->count = one ? 1 : 0;
    for (uint32_t y = 0; !one && y < m->seen; y++)
        m->of[y] = find(m, spec->available + (uint64_t)y * U);
    for (uint32_t i = 0; i < m->count; i++) {
        asif_menu *menu = &m->menu[i];
        menu->row = ASIF_ARRAY(context, 2ull * U, uint32_t);
        menu->prior = ASIF_ARRAY(context, 2ull * U, double);
        if (!menu->row || !menu->prior)
            return asif_fail_memory(error);
        menu->action = menu->row + U;
        menu->log_prior = menu->prior + U;
    }
    return ASIF_OK;
}

void asif_menus_free(const asif_context *context, asif_menus *m) {
    for (uint32_t i = 0; m->menu && i < m->count; i++) {
        asif_free(context, m->menu[i].row);
        asif_free(context, m->menu[i].prior);
    }
    asif_free(context, m->menu);
    asif_free(context, m->of);
    *m = (asif_menus){0};
}

asif_status asif_menus_fill(asif_menus *m, const uint32_t *active, const double *prior, uint32_t actives,
                            asif_error *error) {
    for (uint32_t i = 0; i < m->count; i++) {
        asif_menu *menu = &m->menu[i];
        menu->actives = 0;
        menu->share = 0;
        for (uint32_t j = 0; j < actives; j++) {
            if (menu->available && !menu->available[active[j]])
                continue;
            menu->row[menu->actives] = j;
            menu->action[menu->actives] = active[j];
            menu->prior[menu->actives++] = prior[j];
            menu->share += prior[j];
        }
        if (menu->actives == actives) /* the prior as it is, to the last bit */
            menu->share = 1;
        if (!menu->actives)
            return asif_fail(error, ASIF_EDOMAIN,
                             "the action prior is 0 for all actions that are available with some seen value");
        for (uint32_t j = 0; j < menu->actives; j++) {
            menu->prior[j] /= menu->share;
            menu->log_prior[j] = log(menu->prior[j]);
        }
    }
    return ASIF_OK;
}

void asif_menu_gather(const asif_menu *menu, uint32_t actives, double *q, uint64_t stride, uint32_t n) {
    for (uint32_t j = 0; menu->actives < actives && j < menu->actives; j++)
        if (menu->row[j] != j)
            memcpy(q + j * stride, q + menu->row[j] * stride, n * sizeof *q);
}

void asif_menu_spread(const asif_menu *menu, uint32_t actives, double *q, uint64_t stride, uint32_t n) {
    uint32_t j = menu->actives;
    for (uint32_t row = actives; menu->actives < actives && row-- > 0;) {
        bool mine = j > 0 && menu->row[j - 1] == row;
        if (mine && --j != row)
            memcpy(q + row * stride, q + j * stride, n * sizeof *q);
        else if (!mine)
            memset(q + row * stride, 0, n * sizeof *q);
    }
}
