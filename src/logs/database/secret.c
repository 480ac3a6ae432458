#include "logs/database/secret.h"

#include "asif/database.h"

#include <stdbool.h>
#include <string.h>

/* After `//`: what is between the first colon and the last at sign. */
static const char *find_in_uri(const char *text, size_t *length) {
    const char *place = strstr(text, "//"), *at = place ? strrchr(place, '@') : NULL;
    const char *colon = at ? memchr(place, ':', (size_t)(at - place)) : NULL;
    *length = colon ? (size_t)(at - colon - 1) : 0;
    return colon ? colon + 1 : NULL;
}

/* After `password=`: up to a blank, an ampersand or a quote; between quotes, up to the next one. */
static const char *find_in_words(const char *text, size_t *length) {
    static const char key[] = "password=", quotes[] = "'\"";
    const char *word = strstr(text, key), *secret = word ? word + sizeof key - 1 : NULL;
    size_t quoted = secret ? strspn(secret, quotes) : 0;
    if (!secret)
        return NULL;
    secret += quoted;
    *length = strcspn(secret, quoted ? quotes : " &'\"");
    return secret;
}

const char *asif_find_secret(const char *text, size_t *length) {
    size_t uri = 0, words = 0;
    const char *in_uri = find_in_uri(text, &uri), *in_words = find_in_words(text, &words);
    bool first = in_uri && (!in_words || in_uri < in_words);
    *length = first ? uri : words;
    return first ? in_uri : in_words;
}

void asif_database_mask(char *text) {
    const char *found;
    size_t length = 0;
    while (text && (found = asif_find_secret(text, &length))) {
        char *secret = text + (found - text);
        size_t stars = length < 3 ? length : 3;
        memset(secret, '*', stars);
        memmove(secret + stars, secret + length, strlen(secret + length) + 1);
        text = secret + stars;
    }
}
