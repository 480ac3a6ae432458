/* Sobol points (direction numbers of Joe and Kuo, 2008), shuffled as Owen (1995) does it, by hashes: any 2^k
 * of them are spread evenly, and each alone is uniform. A point depends on its number and the seed only. */
#ifndef ASIF_SRC_SAMPLE_RIDGE_SOBOL_H
#define ASIF_SRC_SAMPLE_RIDGE_SOBOL_H

#include <stdint.h>

#define ASIF_SOBOL_MOST 20 /* dimensions */

/* Coordinate `dimension` of the point, as an integer of 32 bits, before it is shuffled. */
uint32_t asif_sobol_plain(uint32_t number, uint32_t dimension);
/* The same after it, in (0, 1). */
double asif_sobol(uint32_t number, uint32_t dimension, uint64_t seed);

#endif
