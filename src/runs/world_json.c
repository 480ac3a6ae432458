/* The part of `fit.json` on dynamics that were learnt: how, and what their uncertainty adds to the intervals.
 */
#include "base/data/json.h"
#include "fit/fit.h"
#include "runs/whole_fit.h"

static void add_before(asif_json *json, const asif_column_summary *s) {
    asif_json_object(json, "given");
    asif_json_known(json, "mean", s->mean);
    asif_json_known(json, "sd", s->sd);
    asif_json_known(json, "q05", s->q05);
    asif_json_known(json, "q50", s->q50);
    asif_json_known(json, "q95", s->q95);
    asif_json_end(json);
}

static void add_number(asif_json *json, const asif_fit *fit, const asif_fit_world *world, uint32_t i) {
    asif_json_object(json, fit->parameter[i].info->name);
    asif_json_known(json, "part", world->share[i]);
    add_before(json, &world->before[i]);
    asif_json_array(json, "means");
    for (uint32_t k = 0; k < world->worlds; k++)
        asif_json_known(json, NULL, world->mean[(uint64_t)k * fit->view.parameters + i]);
    asif_json_end(json);
    asif_json_end(json);
}

static void add_worlds(asif_json *json, const asif_fit *fit, const asif_fit_world *world) {
    asif_json_count(json, "worlds", world->worlds);
    if (world->worlds == 0)
        return;
    asif_json_known(json, "least_ess", world->drawn.least_ess);
    asif_json_known(json, "worst_rhat", world->drawn.worst_rhat);
    asif_json_count(json, "along_ridge", world->ridge);
    asif_json_count(json, "by_chains", world->others);
    asif_json_count(json, "untrusted", world->untrusted);
    asif_json_count(json, "rivals", world->rivals);
    asif_json_object(json, "parameters");
    for (uint32_t i = 0; i < fit->view.parameters; i++)
        add_number(json, fit, world, i);
    asif_json_end(json);
}

static void add_joint(asif_json *json, const asif_fit *fit, const asif_fit_world *world) {
    asif_json_bool(json, "drawn", world->before != NULL);
    asif_json_object(json, "parameters");
    for (uint32_t i = 0; world->before && i < fit->view.parameters; i++) {
        asif_json_object(json, fit->parameter[i].info->name);
        add_before(json, &world->before[i]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

void asif_fit_world_json(asif_json *json, const asif_fit *fit, const asif_fit_world *world) {
    asif_json_object(json, "world");
    asif_json_string(json, "mode", asif_world_mode_text(world->mode));
    asif_json_number(json, "log_likelihood", world->log_likelihood);
    asif_json_count(json, "free", world->free);
    asif_json_count(json, "starts", world->starts);
    asif_json_count(json, "agree", world->agree);
    if (world->mode == ASIF_WORLD_CUT)
        add_worlds(json, fit, world);
    if (world->mode == ASIF_WORLD_JOINT)
        add_joint(json, fit, world);
    asif_json_end(json);
}
