/* The sections of the page of a population. */
#ifndef ASIF_SRC_REPORT_PEOPLE_PEOPLE_PAGE_H
#define ASIF_SRC_REPORT_PEOPLE_PEOPLE_PAGE_H

#include "report/page/page.h"
#include "report/people/people_source.h"

asif_page_section asif_people_header; /* title, how many people, the population in a few sentences */
asif_page_section asif_people_did;    /* what people do, and how much they differ in that */
asif_page_section asif_people_differ; /* the population: means, spread, correlations, covariates, kinds */
asif_page_section asif_people_cannot; /* the table's error, who is not served, shrinkage, refusals */
asif_page_section asif_people_made;   /* how it was made, and what the page withholds */
asif_page_section asif_people_glossary;

#endif
