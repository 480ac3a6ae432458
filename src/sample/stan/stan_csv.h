/* Stan's CSV files of draws: definitions that writer and reader share. */
#ifndef ASIF_SRC_SAMPLE_STAN_STAN_CSV_H
#define ASIF_SRC_SAMPLE_STAN_STAN_CSV_H

#include "asif/sample.h"

#include "base/text.h"

/* Names of the sampler's own columns, in the order of asif_stat. Columns of a density never end in two
 * underscores. */
extern const char *const asif_stan_stat[ASIF_STAT_COUNT];

/* Comment lines that precede the numbers of a metric. */
#define ASIF_STAN_ADAPTED "Adaptation terminated"
#define ASIF_STAN_STEP "Step size"
#define ASIF_STAN_DIAGONAL "Diagonal elements of inverse mass matrix:"
#define ASIF_STAN_DENSE "Elements of inverse mass matrix:"
#define ASIF_STAN_WALK "Covariance used after warm-up:" /* asif's own: a random walk has no masses */

/* Keys of settings in the comments whose values are whole numbers. */
typedef enum {
    ASIF_STAN_SAMPLES, /* num_samples: steps, not draws */
    ASIF_STAN_WARMUP,
    ASIF_STAN_SAVE_WARMUP,
    ASIF_STAN_THIN,
    ASIF_STAN_MAX_DEPTH,
    ASIF_STAN_SEED,
    ASIF_STAN_SETTINGS
} asif_stan_setting;
extern const char *const asif_stan_key[ASIF_STAN_SETTINGS];

/* Whether a character may be part of a column's name: letters, digits, `_`, `-`, `.` before an index, `:`
 * before a part of a tuple. */
bool asif_stan_letter(char c);
/* Whether a name is one of the sampler's own: it ends with two underscores. */
bool asif_stan_own(const char *name, uint64_t length);

/* A position in a text, line by line. */
typedef struct {
    const char *next, *end;   /* text that is still to be read */
    const char *start, *stop; /* current line, without its end and trailing blanks */
    uint32_t line;
} asif_stan_lines;
/* Go to the next line; false at the end. */
bool asif_stan_next(asif_stan_lines *lines);
/* The text of a comment, without its mark. */
const char *asif_stan_comment(const asif_stan_lines *lines);

typedef struct {
    const char *start;
    uint64_t length;
} asif_stan_field;
/* Number of fields of [from, stop): one more than there are commas. */
uint64_t asif_stan_fields(const char *from, const char *stop);
/* The text [from, stop) without blanks around it. */
asif_stan_field asif_stan_trim(const char *from, const char *stop);
/* The field that begins at *from, trimmed; *from is moved behind its comma, or to NULL after the last. */
asif_stan_field asif_stan_take(const char **from, const char *stop);
bool asif_stan_is(asif_stan_field field, const char *word);
/* A field for a message: short, and without control characters. */
asif_shown asif_stan_shown(asif_stan_field field);

/* What the first pass over a file finds: everything but the numbers. */
typedef struct {
    const char *name; /* for messages */
    asif_error *error;
    bool given[ASIF_STAN_SETTINGS];
    uint64_t setting[ASIF_STAN_SETTINGS];
    bool has_method;
    asif_method method;
    asif_stan_lines header;  /* the header's line */
    uint32_t fields;         /* number in the header and in every row */
    bool has_energy, has_lp; /* columns */
    uint64_t columns;        /* columns that are not the sampler's own */
    uint64_t warm;           /* rows before the draws */
    uint64_t draws;
    double step;
    asif_stan_lines metric; /* the line of its heading */
    uint64_t dimension;     /* 0: no metric */
    bool diagonal;
} asif_stan_file;

/* Make the first pass over a text. `name` is for messages; text and name are borrowed by `out`. Returns
 * ASIF_OK or ASIF_EPARSE with a place. Costs O(length), and no memory. */
asif_status asif_stan_scan(asif_stan_file *out, const char *text, uint64_t length, const char *name,
                           asif_error *error);
/* Set the place of an error: `at` is in the current line. Returns ASIF_EPARSE. */
asif_status asif_stan_place(const asif_stan_file *file, const asif_stan_lines *lines, const char *at);
/* Read a number: decimal, infinite or nan. Returns ASIF_OK, or ASIF_EPARSE with a place. */
asif_status asif_stan_number(const asif_stan_file *file, const asif_stan_lines *lines, asif_stan_field field,
                             double *out);

#endif
