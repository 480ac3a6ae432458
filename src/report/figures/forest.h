/* Groups side by side: what they are estimated to be, and what they do. */
#ifndef ASIF_SRC_REPORT_FIGURES_FOREST_H
#define ASIF_SRC_REPORT_FIGURES_FOREST_H

#include "render/figures/figure.h"

/* A row of the data set `intervals`, not yet closed. */
void asif_forest_row(asif_figure *figure, const char *number, const char *group, double low, double middle,
                     double high);
/* The figure of what they do; none where the fits have no outcomes. */
asif_figure_maker asif_forest_behaviour;

#endif
