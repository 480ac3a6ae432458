/* Which actions can be taken where. A menu is a set of actions that are available with some seen values, with
 * the action prior renormalised over them. Its rows are numbers in the list of active actions, those which
 * the action prior allows. Without actions that are available here and there, there is one menu of all. */
#ifndef ASIF_SRC_ENGINE_PLACES_MENUS_H
#define ASIF_SRC_ENGINE_PLACES_MENUS_H

#include "setting/setting.h"

typedef struct {
    const bool *available; /* [actions]: borrowed from the setting; NULL: all */
    uint32_t actives;
    uint32_t *row, *action;    /* [actives]: ascending */
    double *prior, *log_prior; /* [actives] */
    double share;              /* of the whole action prior */
} asif_menu;

typedef struct {
    uint32_t count, seen, actions;
    asif_menu *menu; /* [count] */
    uint32_t *of;    /* [seen]: the menu of a seen value */
} asif_menus;

/* On failure the caller frees what is there. Cost: seen values times menus times actions. */
asif_status asif_menus_create(asif_menus *menus, const asif_context *context, const asif_setting_spec *spec,
                              asif_error *error);
void asif_menus_free(const asif_context *context, asif_menus *menus);
/* Takes over an action prior; fails with ASIF_EDOMAIN where it leaves a menu without actions. */
asif_status asif_menus_fill(asif_menus *menus, const uint32_t *active, const double *prior, uint32_t actives,
                            asif_error *error);

static inline const asif_menu *asif_menus_at(const asif_menus *menus, uint32_t place) {
    return &menus->menu[menus->count == 1 ? 0 : menus->of[place % menus->seen]];
}

/* Move the rows of a menu to the front of q, which has a row of n numbers for each active action. */
void asif_menu_gather(const asif_menu *menu, uint32_t actives, double *q, uint64_t stride, uint32_t n);
/* Move them back; the other rows become 0. */
void asif_menu_spread(const asif_menu *menu, uint32_t actives, double *q, uint64_t stride, uint32_t n);

#endif
