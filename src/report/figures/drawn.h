/* Shared by the figures of draws: the estimated numbers of all fits, and the scale on which each is drawn. */
#ifndef ASIF_SRC_REPORT_FIGURES_DRAWN_H
#define ASIF_SRC_REPORT_FIGURES_DRAWN_H

#include "render/figures/figure.h"

#define ASIF_DRAWN_PANELS 12 /* most panels of a figure */
#define ASIF_DRAWN_GROUPS 6  /* most groups whose chains are drawn */

/* A number as it is drawn. If its logarithm was estimated, the number itself is drawn on a logarithmic
 * axis. */
typedef struct {
    const char *name;                  /* column of the draws */
    const asif_summary_number *number; /* in the first fit that has it */
    const asif_estimate_info *info;    /* in the same fit */
    const asif_estimates *estimates;   /* of the same fit */
    uint32_t index;                    /* index of the number in these */
    double sign;                       /* sign of the number that is drawn; 0: no logarithm was estimated */
} asif_drawn;

/* List the numbers of all fits, by the names of their columns; `*out` is freed by asif_free().
 * ASIF_ENOMEM. */
asif_status asif_drawn_list(asif_drawn **out, uint32_t *count, const asif_source *source, asif_error *error);
/* Whether some fit has draws. */
bool asif_drawn_any(const asif_source *source);

/* Whether a fit has chains. Draws along a ridge are resampled points, which have no order. */
bool asif_drawn_chains(const asif_source_fit *fit);
/* The draws of a number, [chains][draws], borrowed; NULL: the fit has none. */
const double *asif_drawn_values(const asif_source_fit *fit, const char *name);
/* Convert a number of the draws to the scale drawn, and back. */
double asif_drawn_shown(const asif_drawn *drawn, double number);
double asif_drawn_number(const asif_drawn *drawn, double shown);
/* The derivative of asif_estimate_line() at a number. */
double asif_drawn_slope(const asif_estimate_info *info, double number);

/* Add the name of a number: "choice randomness (alpha)", "utility wrong", "action prior monitor". */
void asif_drawn_words(asif_text *text, const asif_drawn *drawn);
void asif_drawn_cell(asif_figure *figure, const asif_drawn *drawn);
/* Set the slots AXIStitle, AXISscale, AXISlabels and AXISdomain of an axis from `low` to `high`, which are on
 * the scale of the draws. */
void asif_drawn_axis(asif_figure *figure, const char *axis, const asif_drawn *drawn, double low, double high);
/* The name of a group in data and legends; "" for a single fit. `buffer` has ASIF_CELL_SIZE. */
const char *asif_drawn_group(char *buffer, const asif_source *source, uint32_t fit);
/* Begin a figure of one group, with its name and title; the name of the group is included if there are
 * several. */
void asif_drawn_begin(asif_figure *figure, const asif_source *source, uint32_t fit, const char *name,
                      const char *title);
/* Set the slots `legend`, which is shown only for groups, and `groups`, their names, so that all legends have
 * the same domain and become one. */
void asif_drawn_legend(asif_figure *figure, const asif_source *source);
/* Add "In north, " for a group, nothing for a single fit. */
void asif_drawn_in(asif_text *text, const asif_source *source, uint32_t fit);
/* Add a sentence on how many are not drawn; nothing if all are. */
void asif_drawn_left(asif_text *text, uint32_t count, uint32_t most, const char *what);

#endif
