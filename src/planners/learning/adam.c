#include "planners/learning/adam.h"

#include <math.h>

#define FIRST_MOMENT .9
#define SECOND_MOMENT .999
#define NEARLY_0 1e-8

void asif_adam_step(const asif_adam *a, uint64_t k, double rate, double cut) {
    double first = 1 - pow(FIRST_MOMENT, (double)k), second = 1 - pow(SECOND_MOMENT, (double)k);
    for (uint64_t i = 0; i < a->count; i++) {
        double g = cut * a->gradient[i];
        a->moment[i] = FIRST_MOMENT * a->moment[i] + (1 - FIRST_MOMENT) * g;
        a->square[i] = SECOND_MOMENT * a->square[i] + (1 - SECOND_MOMENT) * g * g;
        a->weights[i] -= rate * (a->moment[i] / first) / (sqrt(a->square[i] / second) + NEARLY_0);
    }
}
