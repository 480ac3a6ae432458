/* Counts and shares in words, which say no more than the ranges that may be shown. */
#include "render/disclosure/disclosure.h"

#include <math.h>
#include <string.h>

char *asif_cell_text(char *buffer, const asif_disclosure *cells, asif_cell cell) {
    char low[ASIF_CELL_SIZE], high[ASIF_CELL_SIZE];
    if (isnan(cell.low))
        return strcpy(buffer, "withheld");
    if (cell.few)
        asif_format(buffer, ASIF_CELL_SIZE, "fewer than %u", asif_disclosure_limit(cells));
    else if (cell.low == cell.high && cell.low == floor(cell.low))
        asif_count_text(buffer, (uint64_t)cell.low);
    else if (cell.low == cell.high)
        asif_short_number(buffer, cell.low);
    else if (cell.low <= 0)
        asif_format(buffer, ASIF_CELL_SIZE, "fewer than %.24s",
                    asif_count_text(high, (uint64_t)cell.high + 1));
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.24s to %.24s", asif_count_text(low, (uint64_t)cell.low),
                    asif_count_text(high, (uint64_t)cell.high));
    return buffer;
}

bool asif_share_range(double *low, double *high, asif_cell part, asif_cell whole) {
    if (isnan(part.low) || isnan(whole.low) || !(whole.low > 0))
        return false;
    *low = part.low / whole.high;
    *high = fmin(1, part.high / whole.low);
    if (!isnan(part.others_low)) {
        *low = fmax(*low, part.low / (part.low + part.others_high));
        *high = fmin(*high, part.high / (part.high + part.others_low));
    }
    return *low > 0 || *high < 1;
}

/* Round the range outwards, to tenths of a per cent where it is narrower than two per cent. */
char *asif_share_text(char *buffer, asif_cell part, asif_cell whole) {
    double low, high;
    if (!asif_share_range(&low, &high, part, whole))
        return strcpy(buffer, "withheld");
    if (low == high)
        return asif_percent_text(buffer, low);
    int digits = high - low < 0.02;
    double parts = digits ? 1000 : 100, scale = digits ? 10 : 1;
    if (low <= 0)
        asif_format(buffer, ASIF_CELL_SIZE, "under %.*f %%", digits, (floor(high * parts) + 1) / scale);
    else if (high >= 1)
        asif_format(buffer, ASIF_CELL_SIZE, "over %.*f %%", digits, (ceil(low * parts) - 1) / scale);
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.*f to %.*f %%", digits, floor(low * parts) / scale, digits,
                    ceil(high * parts) / scale);
    return buffer;
}

double asif_share_value(asif_cell part, asif_cell whole) {
    double low, high;
    return asif_share_range(&low, &high, part, whole) ? (low + high) / 2 : NAN;
}
