/* Folders of results: what is in them, and writing into them. */
#ifndef ASIF_CLI_FOLDER_H
#define ASIF_CLI_FOLDER_H

#include "asif.h"

#include <stdbool.h>
#include <stddef.h>

/* "folder/name", to be freed by free(); NULL after saying that there is no memory. */
char *cli_join(const char *folder, const char *name);
/* Make a folder, with those above it; one that is there already is fine if it can be written to. */
int cli_folder_make(const char *path);
bool cli_folder_has(const char *folder, const char *name);
/* Whether a file there begins so: "checkpoint-". */
bool cli_folder_has_prefix(const char *folder, const char *prefix);
/* Write a file as a whole or not at all. */
int cli_folder_write(const char *folder, const char *name, const char *text, size_t length);
/* The whole text of a file; to be freed by free(). */
int cli_folder_read(char **out, size_t *length, const char *folder, const char *name);
/* Subfolders that hold a file of this name, in their natural order: an array of `*count` names, all to be freed by free(). */
int cli_folder_list(char ***out, uint32_t *count, const char *folder, const char *name);
/* Text order, but numbers by value. */
int cli_natural_order(const char *a, const char *b);

#endif
