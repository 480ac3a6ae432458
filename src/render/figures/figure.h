/* Building figures: a template (Vega-Lite, a file NAME.vl.json beside this one) with data, words and a table.
 */
#ifndef ASIF_SRC_RENDER_FIGURES_FIGURE_H
#define ASIF_SRC_RENDER_FIGURES_FIGURE_H

#include "base/data/json.h"
#include "render/source.h"

/* Colours of series, in the order of their use. Colour-blind readers can distinguish them (Okabe and Ito), on
 * light and dark ground. config.json has the same. */
#define ASIF_FIGURE_COLOURS 6

/* A figure under way. Nothing here fails before asif_figure_end(). */
typedef struct {
    const asif_context *context;
    char name[64];
    asif_text title;   /* a few words */
    asif_text alt;     /* what is seen in it, for one who cannot see it: the finding, not the marks */
    asif_text caption; /* how to read it */
    asif_json
        data; /* inside the object of data sets: an array for each, by the name that the template says */
    asif_text data_text;
    asif_text slots;  /* name, 0, JSON, 0 */
    asif_text panels; /* a JSON array, not yet closed */
    uint32_t columns;
    asif_text cells; /* the table behind it, each cell followed by a 0, the heads first */
} asif_figure;

void asif_figure_init(asif_figure *figure, const asif_context *context, const char *name);
/* The same with something of the user's (a group; NULL: nothing) behind the name: all but letters and digits
 * becomes dashes. */
void asif_figure_init_of(asif_figure *figure, const asif_context *context, const char *name, const char *of);
/* A number of a row in few digits: enough to draw, and a smaller file. What is not finite is null. */
void asif_figure_number(asif_figure *figure, const char *key, double number);
/* Replace "@NAME" (in its quotes) of the template: by a string, by JSON as it is. */
void asif_figure_slot(asif_figure *figure, const char *name, const char *string);
void asif_figure_slot_json(asif_figure *figure, const char *name, const char *json);
/* Fill the template of a panel with the slots that stand, which are then forgotten, and add it to the array
 * that replaces
 * "@panels" of the figure's own template: for panels that differ in more than their data. Failures as
 * asif_figure_end(). */
asif_status asif_figure_panel(asif_figure *figure, const char *template_name, asif_error *error);
/* The table: heads, then cells row by row. */
void asif_figure_table(asif_figure *figure, uint32_t columns, const char *const *heads);
void asif_figure_cell(asif_figure *figure, const char *cell);
void asif_figure_cellf(asif_figure *figure, const char *format, ...) ASIF_PRINTF(2, 3);
void asif_figure_cell_number(asif_figure *figure, double number);

/* ---- lists ---- */

typedef struct {
    char *name, *title, *alt, *caption, *json;
    uint64_t length;
    uint32_t columns, rows; /* of the table; rows without the heads */
    char *cells;            /* as in asif_figure */
} asif_figure_item;

struct asif_figures {
    const asif_context *context;
    uint32_t count;
    asif_figure_item *item;
};

/* Fill the template and add the figure to the list; the figure is freed in any case. ASIF_EDOMAIN if the
 * template has a slot that was not filled, or is not there. */
asif_status asif_figure_end(asif_figures *list, asif_figure *figure, const char *template_name,
                            asif_error *error);
/* Give up a figure. */
void asif_figure_free(asif_figure *figure);

/* ---- kinds ---- */

/* Adds the figures of its kind that the source has data for: none, one, or one for each group. */
typedef asif_status asif_figure_maker(asif_figures *list, const asif_source *source, asif_error *error);

/* In the order of the page. */
typedef struct {
    const char *name;
    asif_figure_maker *make;
} asif_figure_kind;
extern const asif_figure_kind asif_figure_kinds[]; /* ended by one without a name */

asif_figure_maker
    asif_figure_policy; /* policy over beliefs of two states, trajectory under repeated evidence */
asif_figure_maker
    asif_figure_simplex; /* belief simplex of three states: decision regions, boundaries, trajectories */
asif_figure_maker asif_figure_path;        /* one path step by step, with bands */
asif_figure_maker asif_figure_observed;    /* observed against predicted */
asif_figure_maker asif_figure_forest;      /* groups side by side */
asif_figure_maker asif_figure_posterior;   /* densities, with priors and truths */
asif_figure_maker asif_figure_joint;       /* pairs of numbers */
asif_figure_maker asif_figure_sensitivity; /* estimates against an assumption */
asif_figure_maker asif_figure_trace;       /* chains */
asif_figure_maker asif_figure_ranks;       /* ranks of chains */
asif_figure_maker asif_figure_calibration; /* predicted against observed frequencies of held-out decisions */
asif_figure_maker asif_figure_precision;   /* precision and recall of held-out decisions */
asif_figure_maker asif_figure_recovery;    /* truth against estimate */
asif_figure_maker asif_figure_sbc;         /* ranks of truths */

#endif
