/* Figures of a population. */
#ifndef ASIF_SRC_REPORT_PEOPLE_PEOPLE_FIGURES_H
#define ASIF_SRC_REPORT_PEOPLE_PEOPLE_FIGURES_H

#include "render/figures/figure.h"
#include "report/people/people_source.h"

/* Add all figures of a population: people in order, densities, shrinkage. */
asif_status asif_people_figures(asif_figures *list, const asif_people_source *source, asif_error *error);

#endif
