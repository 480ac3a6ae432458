/* Shared by the files that read the section `logs` of a study. */
#ifndef ASIF_SRC_LOGS_LOG_MAP_SECTION_H
#define ASIF_SRC_LOGS_LOG_MAP_SECTION_H

#include "base/error.h"
#include "logs/map/log_map.h"

typedef struct {
    const asif_context *context;
    const asif_log_map_reader *reader;
    asif_log_map *map;
    bool no_memory;
} asif_log_section;

/* Report a problem at a node, with a hint that may be "". */
#define ASIF_LOG_PROBLEM(s, at, hint, status, ...)                                                           \
    do {                                                                                                     \
        asif_error error_;                                                                                   \
        asif_fail(&error_, status, __VA_ARGS__);                                                             \
        asif_log_problem(s, at, &error_, hint);                                                              \
    } while (0)
void asif_log_problem(asif_log_section *s, const asif_yaml *at, asif_error *error, const char *hint);

/* Copy a text; NULL after setting `no_memory`. */
char *asif_log_copy(asif_log_section *s, const char *text);
/* Read the name of a column. */
bool asif_log_name(asif_log_section *s, const asif_yaml *node, char **out);
/* Read one of `count` words, and return its index; reports a problem and returns 0 if it is none of them. */
uint32_t asif_log_choice(asif_log_section *s, const asif_yaml *node, const char *key,
                         const char *const *words, uint32_t count);
/* Report keys of a mapping that are none of these; false if there are any. */
bool asif_log_keys(asif_log_section *s, const asif_yaml *node, const char *const *keys, uint32_t count);

/* map_rules.c: rules about time, about rows that are left out, and about groups. */
void asif_log_time(asif_log_section *s, const asif_yaml *node, uint32_t role);
void asif_log_begin(asif_log_section *s, const asif_yaml *node, uint32_t unused);
void asif_log_require(asif_log_section *s, const asif_yaml *node, uint32_t unused);
void asif_log_missing_values(asif_log_section *s, const asif_yaml *node, uint32_t unused);
void asif_log_groups(asif_log_section *s, const asif_yaml *node, uint32_t unused);
/* Read a number, and a list of 1 to `most` texts or one text; false after reporting a problem. */
bool asif_log_number(asif_log_section *s, const asif_yaml *node, const char *key, double *out);
bool asif_log_texts(asif_log_section *s, const asif_yaml *node, const char *key, uint32_t most, char ***out,
                    uint32_t *out_count);

/* map_columns.c: how the cells of columns are read. */
void asif_log_columns(asif_log_section *s, const asif_yaml *node, uint32_t unused);
void asif_log_decimal(asif_log_section *s, const asif_yaml *node, uint32_t unused);

#endif
