/* Lists of problems that are told in parts. */
#ifndef ASIF_SRC_BASE_PROBLEMS_H
#define ASIF_SRC_BASE_PROBLEMS_H

#include "asif/base.h"

/* Forget all problems of a list. */
void asif_problems_clear(asif_problems *problems);

#endif
