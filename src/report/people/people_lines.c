#include "report/people/people_lines.h"

#include "render/telling.h"
#include "render/words/fit_numbers.h"

#include <stdarg.h>

void asif_people_say(asif_text *text, const char *format, ...) {
    asif_text words = {.context = text->context};
    va_list args;
    va_start(args, format);
    asif_text_addv(&words, format, args);
    va_end(args);
    asif_add_words(text, "", 0, &words, ASIF_PEOPLE_WIDTH);
}

void asif_people_size(asif_text *text, double people, double different) {
    char all[ASIF_CELL_SIZE], some[ASIF_CELL_SIZE];
    asif_text_addf(text, "%s people", asif_read_count_text(all, people));
    if (different < people)
        asif_text_addf(text, ", who made %s different series of decisions",
                       asif_read_count_text(some, different));
    asif_text_add(text, "\n");
}

void asif_people_heading(asif_text *text, const char *title) {
    asif_text_addf(text, "\n%-28s %12s %12s %12s %12s\n", title, "mean", "sd", "5 %", "95 %");
}

void asif_people_row(asif_text *text, const char *name, double mean, double sd, double q05, double q95) {
    double shown[] = {mean, sd, q05, q95};
    char cell[ASIF_CELL_SIZE];
    asif_text_addf(text, "  %-26s", name);
    for (int i = 0; i < 4; i++)
        asif_text_addf(text, " %12s", asif_summary_digits(cell, shown[i], q95 - q05));
    asif_text_add(text, "\n");
}
