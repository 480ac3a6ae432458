/* Lists of problems that are reported in parts. */
#ifndef ASIF_SRC_BASE_PROBLEMS_H
#define ASIF_SRC_BASE_PROBLEMS_H

#include "asif/base.h"

/* Removes all problems from a list. */
void asif_problems_clear(asif_problems *problems);

/* Add problem `i` of another list, with the rows in which it was found; `problems` may be NULL. */
void asif_problems_take(asif_problems *problems, const asif_problems *from, uint32_t i);

/* The end of a list at some time. */
typedef struct {
    uint32_t count;
    uint64_t found[3];
} asif_problems_mark;
/* The end of a list now; `problems` may be NULL. */
asif_problems_mark asif_problems_now(const asif_problems *problems);
/* Remove the problems that were added after `mark`; `problems` may be NULL. */
void asif_problems_back(asif_problems *problems, const asif_problems_mark *mark);

#endif
