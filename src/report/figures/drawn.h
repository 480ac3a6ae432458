/* What the figures made from draws share: the estimated numbers of all fits, and how each of them is drawn.
 */
#ifndef ASIF_SRC_REPORT_FIGURES_DRAWN_H
#define ASIF_SRC_REPORT_FIGURES_DRAWN_H

#include "render/figures/figure.h"

#define ASIF_DRAWN_PANELS 12 /* of a figure, at most */
#define ASIF_DRAWN_GROUPS 6  /* whose chains are drawn, at most */

/* A number as it is drawn: it itself, or where its logarithm was estimated, what that is of, on a logarithmic
 * axis. */
typedef struct {
    const char *name;                  /* column of the draws */
    const asif_summary_number *number; /* of the first fit that has it */
    const asif_estimate_info *info;    /* likewise */
    const asif_estimates *estimates;   /* likewise */
    uint32_t index;                    /* of it in these */
    double sign;                       /* of what is drawn; 0: it is no logarithm */
} asif_drawn;

/* Numbers of all fits by the names of their columns, freed by asif_free(). */
asif_status asif_drawn_list(asif_drawn **out, uint32_t *count, const asif_source *source, asif_error *error);
/* Whether some fit has draws. */
bool asif_drawn_any(const asif_source *source);
/* Draws of a number, [chains][draws]; NULL: the fit has none. */
const double *asif_drawn_values(const asif_source_fit *fit, const char *name);
/* What is drawn for a number of the draws, and the other way round. */
double asif_drawn_shown(const asif_drawn *drawn, double number);
double asif_drawn_number(const asif_drawn *drawn, double shown);
/* The slope of the line of a number, see asif_estimate_line(), at it. */
double asif_drawn_slope(const asif_estimate_info *info, double number);

/* "choice randomness (alpha)", "utility wrong", "action prior monitor" */
void asif_drawn_words(asif_text *text, const asif_drawn *drawn);
void asif_drawn_cell(asif_figure *figure, const asif_drawn *drawn);
/* Slots AXIStitle, AXISscale, AXISlabels and AXISdomain of an axis from `low` to `high`, numbers of the
 * draws. */
void asif_drawn_axis(asif_figure *figure, const char *axis, const asif_drawn *drawn, double low, double high);
/* A group in data and legends; "" of a single fit. `buffer` of ASIF_CELL_SIZE. */
const char *asif_drawn_group(char *buffer, const asif_source *source, uint32_t fit);
/* Begin a figure that each group has for itself: its name and title, with the group's where there are
 * several. */
void asif_drawn_begin(asif_figure *figure, const asif_source *source, uint32_t fit, const char *name,
                      const char *title);
/* The slots `legend`, one being shown where there are groups, and `groups`, their names: legends of the same
 * domain are one. */
void asif_drawn_legend(asif_figure *figure, const asif_source *source);
/* "In north, " of a group, nothing of a single fit. */
void asif_drawn_in(asif_text *text, const asif_source *source, uint32_t fit);
/* A sentence of those that are not drawn; nothing where all are. */
void asif_drawn_left(asif_text *text, uint32_t count, uint32_t most, const char *what);

#endif
