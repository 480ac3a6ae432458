/* The page of a population and its figures. */
#ifndef ASIF_SRC_REPORT_PEOPLE_PEOPLE_FIGURES_H
#define ASIF_SRC_REPORT_PEOPLE_PEOPLE_FIGURES_H

#include "render/figures/figure.h"
#include "report/people/people_source.h"

/* Read the folder that a request is about. Call asif_people_source_free() in either case. Fails as
 * asif_people_source_read() does; ASIF_EDOMAIN for a request of an unknown size. */
asif_status asif_people_open(asif_people_source *out, const asif_context *context,
                             const asif_page_request *request, asif_error *error);
/* Add all figures of a population: people in order, densities, shrinkage. */
asif_status asif_people_figures(asif_figures *list, const asif_people_source *source, asif_error *error);

#endif
