/* The labels of a study (section `labels`) in place of its names, in what people read. */
#ifndef ASIF_SRC_RENDER_WORDS_SHOWN_NAMES_H
#define ASIF_SRC_RENDER_WORDS_SHOWN_NAMES_H

#include "base/data/yaml.h"

/* Replace the names of actions, states, observations and assumed parameters by their labels throughout a
 * JSON of asif's, which is then only good for texts. Names of estimated numbers stay, because columns of
 * draws have them; their parameters change. No two of a kind have the same label, so nothing that was found
 * by its name is lost. `labels` is the key `labels` of a JSON, which has to live as long as the document;
 * NULL: there is nothing to do. */
void asif_names_show(asif_yaml_document *document, const asif_yaml *labels);
/* Read a JSON for people: asif_yaml_read(), then asif_names_show() with the labels that it holds itself. */
asif_status asif_shown_read(asif_yaml_document **out, const asif_context *context, const char *json,
                            uint64_t length, const char *name, asif_error *error);
/* A part ("label", "unit", "sentence") of the label of a name, by the kind of name `of` ("actions", "states",
 * "observations", "parameters"); NULL: there is none. */
const char *asif_name_part(const asif_yaml *labels, const char *of, const char *name, const char *part);
/* The title of a study, or what stands in its place. */
const char *asif_shown_title(const char *title);
/* The unit of a parameter, by its label or its name; NULL: there is none. */
const char *asif_name_unit(const asif_yaml *labels, const char *parameter);

#endif
