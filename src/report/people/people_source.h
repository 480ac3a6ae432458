/* A folder of `asif people`, read once for its summary, its page and its figures, with what may be shown. */
#ifndef ASIF_SRC_REPORT_PEOPLE_PEOPLE_SOURCE_H
#define ASIF_SRC_REPORT_PEOPLE_PEOPLE_SOURCE_H

#include "asif/report.h"
#include "base/data/yaml.h"
#include "render/disclosure/disclosure.h"

#define ASIF_PEOPLE_NUMBERS 64 /* most numbers of a person that are read */
#define ASIF_PEOPLE_KINDS 8    /* most kinds of people */
#define ASIF_PEOPLE_GROUPS 30  /* most groups of neighbours */
#define ASIF_PEOPLE_DRAWN 400  /* most people who are drawn one by one */

/* One number of all people. */
typedef struct {
    const char *name;               /* in units.csv: `log_alpha`; borrowed from the JSON, as the others */
    const char *parameter;          /* `alpha`; NULL: not known */
    const char *coordinate, *line;  /* `logit_lapse`, and "same", "log" or "logit"; NULL: not known */
    double least, most;             /* limits of the number; NaN: none */
    double between, within;         /* see `units_differ` of population.json */
    double *mean, *sd, *low, *high; /* [people] */
} asif_people_number;

typedef struct asif_people_source {
    const asif_context *context;
    asif_yaml_document *document;
    const asif_yaml *root, *population;
    bool usable;
    uint32_t numbers;
    asif_people_number number[ASIF_PEOPLE_NUMBERS];
    uint64_t people;          /* rows of units.csv; 0: there is none */
    char **name;              /* [people] */
    bool *served;             /* [people] */
    const asif_yaml *actions; /* how often each was taken, by its name; NULL: not known */
    double *decisions;        /* [people]; NaN: not known */
    double *taken;            /* [people][actions->count]; NaN: not known */
    double *total;            /* [actions->count] */
    bool identify;            /* single people may be shown */
    uint64_t least;           /* people in a group of neighbours */
    bool several;             /* people are enough for what is said about all of them */
    asif_disclosure *cells;   /* counts that may be shown */
} asif_people_source;

/* Read `population.json`, and `units.csv` (NULL: there is none, since the population could not be fitted).
 * Call asif_people_source_free() in either case. ASIF_EPARSE (not these files), ASIF_ENOMEM. */
asif_status asif_people_source_read(asif_people_source *source, const asif_context *context, const char *json,
                                    uint64_t json_length, const char *units, uint64_t length,
                                    uint32_t min_cell, bool identify, asif_error *error);
/* Read the folder that a request is about. Call asif_people_source_free() in either case. Fails as
 * asif_people_source_read() does; ASIF_EDOMAIN for a request of an unknown size. */
asif_status asif_people_source_open(asif_people_source *out, const asif_context *context,
                                    const asif_page_request *request, asif_error *error);
void asif_people_source_free(asif_people_source *source);

/* A count in the JSON; NaN: there is none, or it is none. */
double asif_people_count(const asif_yaml *node, const char *key);

/* ---- groups ---- */

/* Neighbouring people, in the order of some value: [from, to) of `order`. */
typedef struct {
    uint64_t from, to;
} asif_people_group;

/* Sort the people whose value is known, and divide them into groups of nearly equal size with at least
 * `source->least` each, at most ASIF_PEOPLE_GROUPS or, one by one, ASIF_PEOPLE_DRAWN. `*order` is freed by
 * asif_free(). Returns the number of groups in `*groups`, which is below 2 where people are too few.
 * ASIF_ENOMEM. */
asif_status asif_people_divide(uint64_t **order, uint64_t *groups, uint64_t *known,
                               const asif_people_source *source, const double *value, asif_error *error);
/* The g-th of so many groups. */
asif_people_group asif_people_group_of(uint64_t groups, uint64_t known, uint64_t g);
/* Mean of a value over a group. */
double asif_people_average(const double *value, const uint64_t *order, asif_people_group group);

/* ---- numbers and words ---- */

/* How much of the spread of people is uncertainty about each: of the estimate of a person with this standard
 * deviation, the population makes up this share, at most 1. NaN: not known. */
double asif_people_share(const asif_people_number *number, double sd);
/* Mean, standard deviation and others of a number of the population; NaN: there is none. */
double asif_people_value(const asif_people_source *source, const char *key, const char *name);
/* Add the name of a number of people: "choice randomness (log alpha)". */
void asif_people_name(asif_text *text, const asif_people_number *number);
/* Add the name of a number of the population, as `mean_log_alpha`, in words. False: it may not be shown,
 * since it is about too few people. */
bool asif_people_words(asif_text *text, const asif_people_source *source, const char *key);
/* Why the population was refused, as it may be shown. */
const char *asif_people_refused(const asif_people_source *source);
/* Whether mean and standard deviation of a covariate that is a number may be shown. */
bool asif_people_shows_column(const asif_people_source *source, const asif_yaml *covariate);
/* Whether kinds may be shown: all of them have enough people. */
bool asif_people_shows_kinds(const asif_people_source *source);

#endif
