/* The private members of a fitted population, and the steps of the fit. */
#ifndef ASIF_SRC_PEOPLE_PEOPLE_H
#define ASIF_SRC_PEOPLE_PEOPLE_H

#include "asif/people.h"
#include "base/data/yaml.h"
#include "base/text.h"
#include "people/covariates.h"
#include "people/likelihoods.h"
#include "sample/population/units/weigh.h"

struct asif_people {
    const asif_context *context;
    const asif_estimates *estimates;
    const asif_tree *tree;
    asif_people_options options;
    asif_base_density base;
    asif_unit_design design;
    double *z; /* [rows][design.columns]: covariates of rows; NULL: none */
    asif_unit_rows rows;
    uint64_t fitted; /* rows that the population is fitted to */
    asif_population_fit fit;
    asif_people_view view;
    bool given;                   /* the population was fitted before */
    asif_yaml_document *document; /* of its table; NULL: none */
    asif_design_columns columns;  /* of its covariates, with texts of the document */
    char started[32];             /* when, and how long it took */
    double seconds;
    char (*name)[96];                   /* [population_numbers] */
    const char **names;                 /* [population_numbers]: the same */
    asif_population_number *population; /* [population_numbers] */
    asif_unit_number *number;           /* [rows][numbers] */
    asif_unit_info *info;               /* [rows] */
    double *spread;                     /* [2][numbers]: between and within units */
    asif_kinds_compared compared[ASIF_KINDS_MOST];
};

/* The prior of units, from which the first points of a table come. */
asif_base_density asif_people_base(const asif_estimates *estimates);

/* ---- names.c ---- */
#define ASIF_COORDINATE_NAME 40
/* The name of a sampled coordinate: that of the number it reports, on its line. */
void asif_people_coordinate(const asif_people *people, uint32_t coordinate, char out[ASIF_COORDINATE_NAME]);

/* Name the numbers of the population, as many as the view has. */
void asif_people_name_numbers(asif_people *people);

/* people_words.c: why the population was refused, in a sentence. */
void asif_people_refusal(asif_text *text, const asif_people *people);

/* The draws of the population, over which posteriors of units are averaged: how many, and draw k. */
uint32_t asif_people_draws(const asif_people *people);
const double *asif_people_draw(const asif_people *people, uint32_t k);

/* given.c: the population of asif_people_table(). The first reads how its covariates are coded, and refuses
 * a table of another study; the second needs the covariates of the units. */
asif_status asif_people_read_table(asif_people *people, const char *table, uint64_t length,
                                   asif_error *error);
asif_status asif_people_take_table(asif_people *people, asif_error *error);

/* units.c: weigh the table for every row; rows that it serves badly get points of their own. */
asif_status asif_people_weigh(asif_people *people, const asif_work *work, asif_error *error);

#endif
