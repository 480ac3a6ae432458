/* Collects sentences, each followed by a 0, and lists them. */
#ifndef ASIF_SRC_RENDER_WORDS_SENTENCES_H
#define ASIF_SRC_RENDER_WORDS_SENTENCES_H

#include "base/text.h"

/* Begin a sentence with a capital letter, if it begins with a letter, and end it with a full stop. */
void asif_sentence_finish(asif_text *words);
/* Finish the words and add them to a paragraph; the words are freed. */
void asif_sentence_join(asif_text *paragraph, asif_text *words);
/* Finish a sentence and add it to the others. */
void asif_sentence_add(asif_text *sentences, const char *sentence);
/* Finish the words and add them as a sentence; the words are freed. */
void asif_sentence_take(asif_text *sentences, asif_text *words);
/* Add the sentences to `text`, each on lines of its own, at most `width` wide; they are freed. */
void asif_sentence_list(asif_text *text, asif_text *sentences, uint32_t width);

#endif
