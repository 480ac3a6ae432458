/* The private members of a fitted population, and the steps of the fit. */
#ifndef ASIF_SRC_PEOPLE_PEOPLE_H
#define ASIF_SRC_PEOPLE_PEOPLE_H

#include "asif/people.h"
#include "base/data/yaml.h"
#include "base/text.h"
#include "people/covariates.h"
#include "people/likelihoods.h"
#include "sample/population/units/weigh.h"

#define ASIF_POPULATION_NAME 96 /* bytes of the name of a number */

struct asif_people {
    const asif_context *context;
    const asif_estimates *estimates; /* kept, as is the tree */
    const asif_tree *tree;
    asif_people_options options;
    asif_base_density base;
    asif_unit_design design;
    double *z; /* [rows][design.columns]: covariates of rows; NULL: none */
    asif_unit_rows rows;
    uint64_t fitted;  /* rows that the population is fitted to */
    double wanted;    /* effective points of a row */
    uint64_t every;   /* posteriors of rows need one in so many points of the table */
    asif_atoms atoms; /* these points */
    uint64_t *chosen; /* [fit.atoms.count], of which atoms.count are set: their numbers in the table */
    asif_population_fit fit;
    asif_people_view view;
    bool given;                   /* the population was fitted before */
    asif_yaml_document *document; /* of its table; NULL: none */
    asif_design_columns columns;  /* of its covariates, with texts of the document */
    char started[32];             /* when, and how long it took */
    double seconds;
    char (*name)[ASIF_POPULATION_NAME]; /* [population_numbers] */
    const char **names;                 /* [population_numbers]: the same */
    asif_population_number *population; /* [population_numbers] */
    asif_unit_number *number;           /* [rows][numbers] */
    asif_unit_info *info;               /* [rows] */
    double *spread;                     /* [2][numbers]: between and within units */
    asif_kinds_compared compared[ASIF_KINDS_MOST];
    asif_people_permuted *permuted; /* [design.effects]; NULL: none */
};

/* The prior of units, from which the first points of a table come. */
asif_base_density asif_people_base(const asif_estimates *estimates);

/* ---- names.c ---- */
#define ASIF_COORDINATE_NAME 40
/* The name of a sampled coordinate: that of the number it reports, on its line. */
void asif_people_coordinate(const asif_estimates *estimates, uint32_t coordinate,
                            char out[ASIF_COORDINATE_NAME]);

/* Name the means, standard deviations and correlations of a population of one kind; returns their number. */
uint32_t asif_people_name_plain(char (*name)[ASIF_POPULATION_NAME], const asif_estimates *estimates,
                                bool correlated);

/* Name the numbers of the population, as many as the view has. */
void asif_people_name_numbers(asif_people *people);

/* Rows times points above which NUTS would take too long: an evaluation passes over all of them. */
#define ASIF_PEOPLE_MANY 40000000
/* numbers.c: number i of a fitted population. */
asif_status asif_people_number(asif_population_number *out, const asif_people *people,
                               const asif_population_fit *fit, uint32_t i, asif_error *error);
/* permutations.c: check that they are possible; fit the population to permuted covariates, on the table of
 * `plain`, a fit to all units without their covariates. */
asif_status asif_people_check_permutations(const asif_people *people, asif_error *error);
asif_status asif_people_permute(asif_people *people, asif_population_fit *plain, asif_error *error);

/* refusal.c: why the population was refused, in a sentence. */
void asif_people_refusal(asif_text *text, const asif_people *people);

/* The draws of the population, over which posteriors of units are averaged: how many, and draw k. */
uint32_t asif_people_draws(const asif_people *people);
const double *asif_people_draw(const asif_people *people, uint32_t k);

/* given.c: the population of asif_people_table(). The first reads how its covariates are coded, and refuses
 * a table of another study; the second needs the covariates of the units. */
asif_status asif_people_read_table(asif_people *people, const char *table, uint64_t length,
                                   asif_error *error);
asif_status asif_people_take_table(asif_people *people, asif_error *error);

/* units.c. How many effective points the posterior of a row has to have, so that those of few units are more
 * precise: about as many in all, but at least what a unit needs to be served. */
double asif_people_wanted(uint64_t fitted);
/* One in how many points of the table the posteriors of many rows need. */
uint64_t asif_people_every(const asif_people *people);
/* Weigh the table for every row; rows with fewer points than are wanted get some of their own. */
asif_status asif_people_weigh(asif_people *people, const asif_work *work, asif_error *error);

#endif
