/* The cost of computing a study. */
#include "planners/planner.h"
#include "report/study/study.h"
#include "setting/setting.h"
#include "study/study.h"

#include <math.h>

/* A planner without lookahead does not interpolate, so that the corners of the simplex are enough. */
uint32_t asif_study_resolution(const asif_study_report *report) {
    const asif_planner_ops *planner = asif_planner_find(asif_study_planner(report->study), NULL);
    return planner && planner->narrow.myopic ? 1 : asif_study_solver(report->study)->resolution;
}

double asif_study_beliefs(const asif_study_report *report, uint32_t resolution) {
    double nodes = 1;
    for (uint32_t k = 1; k < asif_hidden_values(report->spec); k++)
        nodes = nodes * ((double)resolution + k) / k;
    return floor(nodes + 0.5) * asif_places(report->spec);
}

double asif_study_nodes(const asif_study_report *report) {
    uint32_t reached = asif_study_reached(report->study);
    return report->seen ? report->spec->states
           : reached    ? reached
                        : asif_study_beliefs(report, asif_study_resolution(report));
}

double asif_study_bytes(const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    const double entry = sizeof(double) + sizeof(uint32_t);
    double sum = 0;
    if (!report->seen)
        return entry * asif_study_nodes(report) * spec->actions * spec->worlds * asif_shown_values(spec) *
               asif_hidden_values(spec);
    for (uint64_t i = 0; i < (uint64_t)spec->worlds * spec->actions; i++)
        sum += entry * (double)asif_matrix_entries(&spec->matrix[spec->transitions[i]]);
    return sum;
}
