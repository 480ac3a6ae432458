#include "sample/search/search.h"

#include <math.h>

#define MOST_ROUNDS 5
#define ROUGH 1e-5
#define SMOOTH 1e-13   /* relative: the climb of a smooth density stops only at a maximum */
#define GOOD_GAIN 1e-2 /* nats: if new coordinates gain more than this, coordinates are renewed again */
#define POLISH_GAIN 1e-7
#define VALUES_ONLY_MOST 15 /* most coordinates: with more, second differences of values cost too much */

#define POLISHES 3
static const double polish_steps[POLISHES] = {0.5, 0.1, 0.02};

void asif_search_ascend(asif_search *s) {
    bool gradients = s->density->has_gradient;
    if (gradients && s->density->smooth) {
        asif_search_climb(s, SMOOTH * fmax(1, fabs(s->value)));
        return;
    }
    for (int round = 0; round < MOST_ROUNDS && isfinite(s->value); round++) {
        double before = s->value;
        if (round > 0 && (gradients || s->m <= VALUES_ONLY_MOST))
            asif_search_adapt(s);
        if (gradients)
            asif_search_climb(s, ROUGH);
        else
            asif_search_polish(s, 1, 0, ROUGH);
        if (round > 0 && s->value - before < GOOD_GAIN)
            return;
    }
}

void asif_search_finish(asif_search *s, double tol, bool no_polish) {
    bool gradients = s->density->has_gradient;
    if (gradients && s->density->smooth)
        return;
    if (gradients)
        asif_search_climb(s, tol);
    for (int round = 0; round < MOST_ROUNDS && !(gradients && no_polish); round++) {
        double before = s->value;
        for (unsigned i = 0; i < POLISHES; i++) {
            double least = i + 1 < POLISHES ? polish_steps[i + 1] : gradients ? polish_steps[i] / 5 : 0;
            asif_search_polish(s, polish_steps[i], least, fmax(tol, POLISH_GAIN / 10));
        }
        if (gradients)
            asif_search_climb(s, tol);
        if (s->value - before < POLISH_GAIN)
            return;
    }
}
