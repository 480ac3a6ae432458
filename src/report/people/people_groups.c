/* Groups of neighbours: what may be shown of people in whose place nobody is. All that is drawn of a number
 * has the same groups, since the difference of two divisions may be a single person. */
#include "report/people/people_source.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double value;
    uint64_t person;
} place;

static int by_value(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->person > y->person) - (x->person < y->person);
}

asif_status asif_people_divide(uint64_t **order, uint64_t *groups, uint64_t *known,
                               const asif_people_source *s, const double *value, asif_error *error) {
    uint64_t n = 0, most;
    place *list = ASIF_ARRAY(s->context, s->people + 1, place);
    *order = ASIF_ARRAY(s->context, s->people + 1, uint64_t);
    *groups = *known = 0;
    for (uint64_t i = 0; list && i < s->people; i++)
        if (isfinite(value[i]))
            list[n++] = (place){value[i], i};
    if (list)
        qsort(list, (size_t)n, sizeof *list, by_value);
    for (uint64_t i = 0; list && *order && i < n; i++)
        (*order)[i] = list[i].person;
    bool room = list && *order;
    asif_free(s->context, list);
    if (!room)
        return asif_fail_memory(error);
    most = s->identify && n <= ASIF_PEOPLE_DRAWN ? ASIF_PEOPLE_DRAWN : ASIF_PEOPLE_GROUPS;
    *known = n;
    *groups = n / s->least < most ? n / s->least : most;
    return ASIF_OK;
}

asif_people_group asif_people_group_of(uint64_t groups, uint64_t known, uint64_t g) {
    uint64_t each = known / groups, more = known % groups;
    uint64_t from = g * each + (g < more ? g : more);
    return (asif_people_group){from, from + each + (g < more)};
}

double asif_people_average(const double *value, const uint64_t *order, asif_people_group group) {
    double sum = 0;
    for (uint64_t i = group.from; i < group.to; i++)
        sum += value[order[i]];
    return sum / (double)(group.to - group.from);
}
