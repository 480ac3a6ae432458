/* A folder in memory (in /dev/shm, if there is one) for fuzzers of readers of files. */
#ifndef ASIF_TESTS_FUZZ_SCRATCH_H
#define ASIF_TESTS_FUZZ_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void must(bool condition);

/* The path of the folder, which is made at the first call and removed when the process ends. */
const char *scratch(void);
/* "folder/name", borrowed until the next call. */
const char *scratch_path(const char *name);
void scratch_write(const char *name, const void *data, size_t size);
void scratch_remove(const char *name);
bool scratch_has(const char *name);

/* Write the files of an input: a line `=== NAME` precedes each. Files whose names are in the list, which NULL
 * ends, are written; the others of the list are removed. Text before the first such line belongs to the first
 * name. */
void scratch_unpack(const char *const *names, const uint8_t *data, size_t size);

#endif
