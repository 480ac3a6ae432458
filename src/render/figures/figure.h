/* Builds figures: a template (Vega-Lite, a file NAME.vl.json in the folder of the figure's code) with data,
 * words and a table. */
#ifndef ASIF_SRC_RENDER_FIGURES_FIGURE_H
#define ASIF_SRC_RENDER_FIGURES_FIGURE_H

#include "base/data/json.h"
#include "render/source.h"

/* Number of colours of series, which config.json lists in the order of their use. Colour-blind readers can
 * distinguish them (Okabe and Ito), on a light or dark background. */
#define ASIF_FIGURE_COLOURS 6

/* A figure that is being built. Running out of memory shows only in asif_figure_panel() and
 * asif_figure_end(). */
typedef struct {
    const asif_context *context;
    char name[64];
    asif_text title;   /* a few words */
    asif_text alt;     /* the finding that the figure shows, in words, for readers who cannot see it */
    asif_text caption; /* how to read the figure */
    /* The object of data sets, which stays open: an array for each, by its name in the template. */
    asif_json data;
    asif_text data_text;
    asif_text slots;  /* name, 0, JSON, 0, and so on */
    asif_text panels; /* a JSON array that is not closed yet */
    uint32_t columns;
    asif_text cells; /* cells of the table, heads first, each followed by a 0 */
} asif_figure;

/* Begin a figure with this name. End it with asif_figure_end(), or discard it with asif_figure_free(). */
void asif_figure_init(asif_figure *figure, const asif_context *context, const char *name);
/* Begin a figure as asif_figure_init() does, with `of` (the user's name of a group; NULL: none) added to the
 * name, in which all but letters and digits become dashes. */
void asif_figure_init_of(asif_figure *figure, const asif_context *context, const char *name, const char *of);
/* Add a number to a row of data, rounded to a few digits, which is enough to draw it. Numbers that are not
 * finite become null. */
void asif_figure_number(asif_figure *figure, const char *key, double number);
/* Set a slot: "@NAME" of the template, with its quotes, is replaced by a string, or by JSON as it is. */
void asif_figure_slot(asif_figure *figure, const char *name, const char *string);
void asif_figure_slot_json(asif_figure *figure, const char *name, const char *json);
/* Fill the template of a panel with the current slots, which are then cleared, and add it to the array that
 * replaces "@panels" in the figure's own template. This is for panels that differ in more than their data.
 * Fails as asif_figure_end() does. */
asif_status asif_figure_panel(asif_figure *figure, const char *template_name, asif_error *error);
/* Begin the table with its heads; cells are then added row by row. */
void asif_figure_table(asif_figure *figure, uint32_t columns, const char *const *heads);
void asif_figure_cell(asif_figure *figure, const char *cell);
void asif_figure_cellf(asif_figure *figure, const char *format, ...) ASIF_PRINTF(2, 3);
void asif_figure_cell_number(asif_figure *figure, double number);

/* ---- lists ---- */

typedef struct {
    char *name, *title, *alt, *caption, *json;
    const char *section; /* of the page, by its id; static */
    uint64_t length;
    uint32_t columns, rows; /* size of the table; `rows` excludes the heads */
    char *cells;            /* as in asif_figure */
} asif_figure_item;

struct asif_figures {
    const asif_context *context;
    uint32_t count;
    asif_figure_item *item;
};

/* Fill the template and add the figure to the list. The figure is freed in any case. ASIF_ENOMEM;
 * ASIF_EDOMAIN if there is no such template, or one of its slots was not set. */
asif_status asif_figure_end(asif_figures *list, asif_figure *figure, const char *template_name,
                            asif_error *error);
/* Discard a figure. */
void asif_figure_free(asif_figure *figure);

/* ---- kinds ---- */

/* Adds the figures of a kind for which the source has data: none, one, or one for each group. */
typedef asif_status asif_figure_maker(asif_figures *list, const asif_source *source, asif_error *error);

/* A kind of figure; the table lists them in the order of the page. */
typedef struct {
    const char *name;
    const char *section; /* of the page: that with the words which the figure belongs to */
    asif_figure_maker *make;
} asif_figure_kind;
extern const asif_figure_kind asif_figure_kinds[]; /* the last one has no name */

asif_figure_maker asif_figure_policy;      /* policy over beliefs of two states, and repeated evidence */
asif_figure_maker asif_figure_simplex;     /* decision regions over beliefs of three states, and a path */
asif_figure_maker asif_figure_path;        /* one path step by step, with posterior bands */
asif_figure_maker asif_figure_observed;    /* observed and predicted shares of actions */
asif_figure_maker asif_figure_forest;      /* estimates of the groups */
asif_figure_maker asif_figure_posterior;   /* densities, with priors and true values */
asif_figure_maker asif_figure_joint;       /* pairs of estimated numbers */
asif_figure_maker asif_figure_sensitivity; /* estimates against an assumption */
asif_figure_maker asif_figure_trace;       /* draws of the chains */
asif_figure_maker asif_figure_ranks;       /* ranks of chains */
asif_figure_maker asif_figure_calibration; /* predicted against observed frequencies of held-out decisions */
asif_figure_maker asif_figure_precision;   /* precision and recall of held-out decisions */
asif_figure_maker asif_figure_recovery;    /* true values and estimates */
asif_figure_maker asif_figure_sbc;         /* ranks of true values */

#endif
