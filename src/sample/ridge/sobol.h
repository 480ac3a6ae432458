/* Sobol points (direction numbers of Joe and Kuo, 2008), scrambled as by Owen (1995) with hashes: the first
 * 2^k points are spread evenly, and each alone is uniform. A point depends only on its number and the
 * seed. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_SOBOL_H
#define ASIF_SRC_SAMPLE_RIDGE_SOBOL_H

#include <stdint.h>

#define ASIF_SOBOL_MOST 20 /* most dimensions */

/* Coordinate `dimension` of a point before scrambling, as an integer of 32 bits. */
uint32_t asif_sobol_plain(uint32_t number, uint32_t dimension);
/* The same coordinate after scrambling, in (0, 1). */
double asif_sobol(uint32_t number, uint32_t dimension, uint64_t seed);

#endif
