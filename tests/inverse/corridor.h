/* A corridor of five rooms with a goal at its right end and a swamp in its middle, in which one step in ten
 * goes the other way. Utilities are by room or action: goal, swamp, step. Under many of them, going right
 * everywhere is optimal. */
#ifndef ASIF_TESTS_INVERSE_CORRIDOR_H
#define ASIF_TESTS_INVERSE_CORRIDOR_H

#include <stdio.h>

#define CORRIDOR_STUDY                                                                                       \
    "asif: 1\n"                                                                                              \
    "states: [one, two, three, four, five]\n"                                                                \
    "actions: [left, right]\n"                                                                               \
    "environment:\n"                                                                                         \
    "  start: uniform\n"                                                                                     \
    "  transitions:\n"                                                                                       \
    "    left: [[1, 0, 0, 0, 0], [.9, 0, .1, 0, 0], [0, .9, 0, .1, 0], [0, 0, .9, 0, .1], [0, 0, 0, .9, "    \
    ".1]]\n"                                                                                                 \
    "    right: [[.1, .9, 0, 0, 0], [.1, 0, .9, 0, 0], [0, .1, 0, .9, 0], [0, 0, .1, 0, .9], [0, 0, 0, .1, " \
    ".9]]\n"                                                                                                 \
    "agent:\n"                                                                                               \
    "  discount: 0.9\n"                                                                                      \
    "  utility:\n"                                                                                           \
    "    any: {five: goal, three: swamp, any: step}\n"                                                       \
    "  parameters:\n"                                                                                        \
    "    alpha: 0\n"

enum { CORRIDOR = 5 };

/* Write logs with one decision in each episode: `r` or `l` in each room, `?` if nobody acts there, several
 * letters for a mixture. */
static inline void corridor_logs(const char *const *did, char *out, size_t size) {
    static const char *const rooms[] = {"one", "two", "three", "four", "five"};
    size_t length = (size_t)snprintf(out, size, "episode,state,action\n");
    int episode = 0;
    for (int s = 0; s < CORRIDOR; s++)
        for (const char *c = did[s]; *c; c++)
            if (*c != '?')
                length += (size_t)snprintf(out + length, size - length, "%d,%s,%s\n", episode++, rooms[s],
                                           *c == 'r' ? "right" : "left");
}

#endif
