#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity() */
#include <sched.h>
#endif

#include "processors.h"

#include <unistd.h>

uint32_t cli_processors(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}
