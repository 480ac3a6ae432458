/* Forest plots: estimates and behaviour of all groups. */
#ifndef ASIF_SRC_REPORT_FIGURES_FOREST_H
#define ASIF_SRC_REPORT_FIGURES_FOREST_H

#include "render/figures/figure.h"

/* Begin a row of the data set `intervals`; the caller closes it. */
void asif_forest_row(asif_figure *figure, const char *number, const char *group, double low, double middle,
                     double high);
/* Makes the figure of the groups' behaviour; none if the fits have no outcomes. */
asif_figure_maker asif_forest_behaviour;

#endif
