/* Collects sentences and lists them. */
#include "render/words/sentences.h"

#include "render/table.h"

#include <string.h>

void asif_sentence_finish(asif_text *words) {
    char *text = words->data;
    if (!text || words->length == 0)
        return;
    if (*text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    if (!strchr(".?!:", text[words->length - 1]))
        asif_text_add(words, ".");
}

void asif_sentence_join(asif_text *paragraph, asif_text *words) {
    asif_sentence_finish(words);
    asif_text_add(paragraph, paragraph->length ? " " : "");
    asif_text_add_n(paragraph, words->data ? words->data : "", words->length);
    paragraph->failed |= words->failed;
    asif_text_free(words);
}

void asif_sentence_add(asif_text *sentences, const char *sentence) {
    asif_text words = {.context = sentences->context};
    asif_text_add(&words, sentence);
    asif_sentence_take(sentences, &words);
}

void asif_sentence_take(asif_text *sentences, asif_text *words) {
    asif_clean(words->data);
    asif_sentence_finish(words);
    if (words->data)
        asif_text_add_n(sentences, words->data, words->length + 1);
    sentences->failed |= words->failed;
    asif_text_free(words);
}

void asif_sentence_list(asif_text *text, asif_text *sentences, uint32_t width) {
    for (const char *one = sentences->data; one && one < sentences->data + sentences->length;
         one += strlen(one) + 1)
        asif_add_wrapped(text, "  - ", 4, one, width);
    text->failed |= sentences->failed;
    asif_text_free(sentences);
}
