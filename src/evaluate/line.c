/* Numbers on the line where prior and posterior are compared: the whole of R, whatever limits the number has. */
#include "evaluate/fit.h"

#include <math.h>
#include <string.h>

double asif_line_back(const asif_estimate_info *info, double at) {
    switch (info->line) {
    case ASIF_LINE_LOG:
        return isfinite(info->low) ? info->low + exp(at) : info->high - exp(-at);
    case ASIF_LINE_LOGIT:
        return info->low + (info->high - info->low) / (1 + exp(-at));
    case ASIF_LINE_SAME:
        break;
    }
    return at;
}

bool asif_is_logarithm(const asif_estimate_info *info) {
    return strncmp(info->name, "log_", 4) == 0 && strcmp(info->name + 4, info->parameter) == 0;
}

bool asif_same_distribution(const asif_estimate_info *a, const asif_estimate_info *b) {
    return a->label && b->label && strcmp(a->parameter, b->parameter) == 0;
}
