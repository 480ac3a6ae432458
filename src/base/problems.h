/* Lists of problems that are reported in parts. */
#ifndef ASIF_SRC_BASE_PROBLEMS_H
#define ASIF_SRC_BASE_PROBLEMS_H

#include "asif/base.h"

/* Removes all problems from a list. */
void asif_problems_clear(asif_problems *problems);

#endif
