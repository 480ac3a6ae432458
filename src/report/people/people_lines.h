/* Lines that the texts of a fitted population and of its folder have in common. */
#ifndef ASIF_SRC_REPORT_PEOPLE_PEOPLE_LINES_H
#define ASIF_SRC_REPORT_PEOPLE_PEOPLE_LINES_H

#include "base/text.h"

#define ASIF_PEOPLE_WIDTH 80
/* Add a sentence, broken into lines. */
void asif_people_say(asif_text *text, const char *format, ...) ASIF_PRINTF(2, 3);
/* How many people there are, and how many different logs they have. */
void asif_people_size(asif_text *text, double people, double different);
/* The heads of a table of the population's numbers, and a row of it. */
void asif_people_heading(asif_text *text, const char *title);
void asif_people_row(asif_text *text, const char *name, double mean, double sd, double q05, double q95);

#endif
