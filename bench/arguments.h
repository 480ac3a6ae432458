/* What benches on logs take from the command line, and where their figures go. */
#ifndef ASIF_BENCH_ARGUMENTS_H
#define ASIF_BENCH_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t episodes, quick_episodes; /* how many, and how many with --quick */
    int rounds;
    bool check; /* fail where a figure is out of its limits */
    FILE *json; /* NULL: not wanted */
} bench_arguments;

/* 0, or the exit code. */
static inline int bench_read(bench_arguments *out, int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0) {
            out->check = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            out->episodes = out->quick_episodes;
            out->rounds = 20;
        } else if (strcmp(argv[i], "--episodes") == 0 && i + 1 < argc) {
            out->episodes = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
            out->rounds = (int)strtol(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            out->json = fopen(argv[++i], "w");
            if (!out->json)
                return 3;
        } else {
            fprintf(stderr, "usage: %s [--quick] [--check] [--json FILE] [--episodes N] [--rounds N]\n",
                    name);
            return 2;
        }
    }
    return 0;
}

#endif
