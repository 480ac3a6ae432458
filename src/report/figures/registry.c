/* The figures there are, in the order of the page. */
#include "report/figures/figure.h"

/* clang-format off */
const asif_figure_kind asif_figure_kinds[] = {
    {"policy", asif_figure_policy},
    {"simplex", asif_figure_simplex},
    {"path", asif_figure_path},
    {"observed", asif_figure_observed},
    {"forest", asif_figure_forest},
    {"posterior", asif_figure_posterior},
    {"joint", asif_figure_joint},
    {"sensitivity", asif_figure_sensitivity},
    {"trace", asif_figure_trace},
    {"ranks", asif_figure_ranks},
    {"calibration", asif_figure_calibration},
    {"precision", asif_figure_precision},
    {"recovery", asif_figure_recovery},
    {"sbc", asif_figure_sbc},
    {0},
};
/* clang-format on */
