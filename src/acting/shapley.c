#include "acting/shapley.h"

double asif_shapley_weight(uint32_t causes, uint32_t cause, uint32_t mask) {
    uint32_t away = 0; /* other causes that are removed */
    for (uint32_t i = 0; i < causes; i++)
        away += i != cause && (mask >> i & 1);
    /* away! (causes - away - 1)! / causes! = 1 / (causes binomial(causes - 1, away)) */
    double ways = 1;
    for (uint32_t i = 0; i < away; i++)
        ways = ways * (causes - 1 - i) / (i + 1);
    double weight = 1 / (causes * ways);
    return mask >> cause & 1 ? weight : -weight;
}

void asif_shapley(double *share, uint32_t causes, const double *value) {
    for (uint32_t i = 0; i < causes; i++) {
        share[i] = 0;
        for (uint32_t mask = 0; mask < 1u << causes; mask++)
            share[i] += asif_shapley_weight(causes, i, mask) * value[mask];
    }
}
