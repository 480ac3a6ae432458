#include "render/bars.h"

#include <math.h>

const char *asif_bar(uint32_t eighths, bool unicode) {
    static const char *const blocks[] = {" ",
                                         "\xe2\x96\x81",
                                         "\xe2\x96\x82",
                                         "\xe2\x96\x83",
                                         "\xe2\x96\x84",
                                         "\xe2\x96\x85",
                                         "\xe2\x96\x86",
                                         "\xe2\x96\x87",
                                         "\xe2\x96\x88"};
    static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
    return (unicode ? blocks : plain)[eighths > 8 ? 8 : eighths];
}

void asif_bars(asif_text *text, uint32_t count, const double *height, bool unicode) {
    double most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, height[i]);
    for (uint32_t i = 0; i < count; i++)
        asif_text_add(text, asif_bar(most > 0 ? (uint32_t)ceil(8 * fmax(0, height[i]) / most) : 0, unicode));
}
