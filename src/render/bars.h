/* Bar charts made of characters. */
#ifndef ASIF_SRC_RENDER_BARS_H
#define ASIF_SRC_RENDER_BARS_H

#include "base/text.h"

/* A bar with a height of 0 to 8 eighths. */
const char *asif_bar(uint32_t eighths, bool unicode);
/* Add a row of bars; the largest is full, and every height above 0 is visible. */
void asif_bars(asif_text *text, uint32_t count, const double *height, bool unicode);

#endif
