/* All kinds of figures, in the order of the page. */
#include "base/error.h"
#include "base/memory.h"
#include "render/figures/figure.h"
#include "report/people/people_figures.h"

/* clang-format off */
const asif_figure_kind asif_figure_kinds[] = {
    {"policy", "did", asif_figure_policy},
    {"simplex", "did", asif_figure_simplex},
    {"path", "did", asif_figure_path},
    {"observed", "did", asif_figure_observed},
    {"forest", "why", asif_figure_forest},
    {"posterior", "why", asif_figure_posterior},
    {"joint", "why", asif_figure_joint},
    {"sensitivity", "cannot", asif_figure_sensitivity},
    {"trace", "trust", asif_figure_trace},
    {"ranks", "trust", asif_figure_ranks},
    {"calibration", "trust", asif_figure_calibration},
    {"precision", "trust", asif_figure_precision},
    {"recovery", "trust", asif_figure_recovery},
    {"sbc", "trust", asif_figure_sbc},
    {0},
};
/* clang-format on */

asif_status asif_figures_make(asif_figures **out, const asif_context *context,
                              const asif_page_request *request, asif_error *error) {
    asif_source source = {.context = context};
    asif_people_source people = {.context = context};
    *out = ASIF_NEW(context, asif_figures);
    if (!*out)
        return asif_fail_memory(error);
    (*out)->context = context;
    bool population = request && request->population;
    asif_status status = population ? asif_people_source_open(&people, context, request, error)
                                    : asif_source_read(&source, context, request, error);
    if (status == ASIF_OK && population)
        status = asif_people_figures(*out, &people, error);
    for (uint32_t i = 0; population && i < (*out)->count; i++)
        (*out)->item[i].section = "differ";
    for (const asif_figure_kind *kind = asif_figure_kinds; status == ASIF_OK && !population && kind->name;
         kind++) {
        uint32_t before = (*out)->count;
        status = kind->make(*out, &source, error);
        for (uint32_t i = before; i < (*out)->count; i++)
            (*out)->item[i].section = kind->section;
    }
    asif_people_source_free(&people);
    asif_source_free(&source);
    if (status != ASIF_OK) {
        asif_figures_free(*out);
        *out = NULL;
    }
    return status;
}
