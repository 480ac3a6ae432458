#include "logs/database/secret.h"

#include "asif/database.h"

#include <string.h>

const char *asif_find_secret(const char *text, size_t *length) {
    const char *place = strstr(text, "//"), *at = place ? strrchr(place, '@') : NULL;
    const char *colon = at ? memchr(place, ':', (size_t)(at - place)) : NULL;
    const char *word = strstr(text, "password=");
    if (!colon && word)
        *length = strcspn(word + 9, " &'\"");
    else if (colon)
        *length = (size_t)(at - colon - 1);
    return colon ? colon + 1 : word ? word + 9 : NULL;
}

void asif_database_mask(char *text) {
    size_t length = 0;
    const char *found = text ? asif_find_secret(text, &length) : NULL;
    if (!found)
        return;
    char *secret = text + (found - text);
    size_t stars = length < 3 ? length : 3;
    memset(secret, '*', stars);
    memmove(secret + stars, secret + length, strlen(secret + length) + 1);
}
