/* Heights as characters. */
#ifndef ASIF_SRC_RENDER_BARS_H
#define ASIF_SRC_RENDER_BARS_H

#include "base/text.h"

/* A bar of so many eighths, 0 to 8. */
const char *asif_bar(uint32_t eighths, bool unicode);
/* A row of bars, the tallest one full; whatever is above 0 is seen. */
void asif_bars(asif_text *text, uint32_t count, const double *height, bool unicode);

#endif
