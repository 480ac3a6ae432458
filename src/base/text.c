#include "base/text.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static bool reserve(asif_text *text, uint64_t more) {
    if (text->failed)
        return false;
    uint64_t wanted = text->length + more + 1;
    if (text->data && wanted <= text->capacity)
        return true;
    uint64_t capacity = text->capacity * 2 > wanted ? text->capacity * 2 : wanted + 64;
    char *data = asif_realloc(text->context, text->data, capacity, 1);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void asif_text_add_n(asif_text *text, const char *string, uint64_t length) {
    if (!reserve(text, length))
        return;
    memcpy(text->data + text->length, string, (size_t)length);
    text->length += length;
    text->data[text->length] = 0;
}

void asif_text_add(asif_text *text, const char *string) {
    asif_text_add_n(text, string, strlen(string));
}

void asif_text_addv(asif_text *text, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = asif_os_vsnprintf(NULL, 0, format, args);
    if (length >= 0 && reserve(text, (uint64_t)length)) {
        asif_os_vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (uint64_t)length;
    }
    va_end(again);
}

void asif_text_addf(asif_text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    asif_text_addv(text, format, args);
    va_end(args);
}

void asif_text_add_number(asif_text *text, double number) {
    char buffer[ASIF_NUMBER_SIZE];
    asif_text_add(text, asif_number_text(buffer, number));
}

void asif_text_free(asif_text *text) {
    asif_free(text->context, text->data);
    text->data = NULL;
    text->length = text->capacity = 0;
}

asif_status asif_text_finish(char **out, asif_text *text, asif_error *error) {
    *out = NULL;
    if (!text->failed && !text->data)
        asif_text_add(text, "");
    if (text->failed || !text->data) {
        asif_text_free(text);
        return asif_fail_memory(error);
    }
    *out = text->data;
    return ASIF_OK;
}

int asif_format(char *buffer, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = asif_os_vsnprintf(buffer, size, format, args);
    va_end(args);
    return length;
}

char *asif_number_text(char *buffer, double number) {
    if (isnan(number))
        return strcpy(buffer, "nan");
    if (isinf(number))
        return strcpy(buffer, number > 0 ? "inf" : "-inf");
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        int length = asif_format(buffer, ASIF_NUMBER_SIZE, "%.*g", digits, number);
        if (digits == 17 || (asif_number_read(buffer, (uint64_t)length, &back) && back == number))
            break;
    }
    return buffer;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool same_word(const char *s, uint64_t length, const char *word) {
    for (; length && *word; s++, word++, length--)
        if ((*s | 0x20) != *word)
            return false;
    return length == 0 && *word == 0;
}

enum { EXACT_DIGITS = 15 }; /* of whole numbers that a double has exactly */

/* Read a number that is more than a few digits. It is apart, because its frame is large. */
__attribute__((noinline)) static bool read_number(const char *s, uint64_t length, double *out) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    char copy[512];
    uint64_t i = 0, mantissa = 0;
    int digits = 0, significant = 0, after_point = 0, exponent = 0;
    bool negative = false, point = false;
    if (length >= sizeof copy)
        return false;
    if (s[i] == '+' || s[i] == '-')
        negative = s[i++] == '-';
    uint64_t rest = length - i;
    const char *word = s + i;
    if (rest && *word == '.' && rest > 1 && !is_digit(word[1])) {
        word++;
        rest--;
    }
    if (same_word(word, rest, "inf") || same_word(word, rest, "infinity")) {
        *out = negative ? -INFINITY : INFINITY;
        return true;
    }
    for (; i < length && (is_digit(s[i]) || (s[i] == '.' && !point)); i++) {
        if (s[i] == '.') {
            point = true;
            continue;
        }
        digits++;
        after_point += point;
        if (significant || s[i] != '0')
            significant++;
        if (significant <= 19)
            mantissa = mantissa * 10 + (uint64_t)(s[i] - '0');
    }
    if (digits == 0)
        return false;
    if (i < length && (s[i] == 'e' || s[i] == 'E')) {
        i++;
        bool below = false;
        if (i < length && (s[i] == '+' || s[i] == '-'))
            below = s[i++] == '-';
        if (i == length)
            return false;
        for (; i < length && is_digit(s[i]); i++)
            if (exponent < 100000)
                exponent = exponent * 10 + (s[i] - '0');
        if (below)
            exponent = -exponent;
    }
    if (i != length)
        return false;
    /* The digits and the power of ten are exact doubles, so one operation rounds correctly (Clinger's
     * fast path). */
    int scale = exponent - after_point;
    if (significant <= 15 && scale >= -22 && scale <= 22) {
        double value = scale < 0 ? (double)mantissa / power[-scale] : (double)mantissa * power[scale];
        *out = negative ? -value : value;
        return true;
    }
    memcpy(copy, s, (size_t)length);
    copy[length] = 0;
    *out = asif_os_strtod(copy, NULL);
    return true;
}

bool asif_number_read(const char *s, uint64_t length, double *out) {
    uint64_t i = 0, number = 0;
    while (i < length && i < EXACT_DIGITS && is_digit(s[i]))
        number = number * 10 + (uint64_t)(s[i++] - '0');
    if (i < length)
        return read_number(s, length, out);
    if (length)
        *out = (double)number;
    return length > 0;
}

/* Edit distance with transpositions of neighbours; a word longer than the table counts as far from
 * any other. */
static uint32_t distance(const char *a, const char *b) {
    enum { LONGEST = 48 };
    size_t m = strlen(a), n = strlen(b);
    uint32_t d[3][LONGEST + 1];
    if (m > LONGEST || n > LONGEST)
        return UINT32_MAX;
    for (size_t j = 0; j <= n; j++)
        d[0][j] = (uint32_t)j;
    for (size_t i = 1; i <= m; i++) {
        uint32_t *now = d[i % 3], *before = d[(i + 2) % 3], *earlier = d[(i + 1) % 3];
        now[0] = (uint32_t)i;
        for (size_t j = 1; j <= n; j++) {
            uint32_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return d[m % 3][n];
}

const char *asif_nearest_word(const char *word, const char *const *names, uint32_t count) {
    const char *best = NULL;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; word && i < count; i++) {
        uint32_t d = distance(word, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best && least <= 1 + strlen(word) / 4 && least < strlen(best) ? best : NULL;
}

uint32_t asif_utf8_next(const char *s, uint64_t left, uint32_t *character) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)s;
    uint32_t length = byte[0] < 0x80             ? 1
                      : (byte[0] & 0xe0) == 0xc0 ? 2
                      : (byte[0] & 0xf0) == 0xe0 ? 3
                      : (byte[0] & 0xf8) == 0xf0 ? 4
                                                 : 0;
    if (length == 1) {
        *character = byte[0];
        return 1;
    }
    *character = 0xfffd;
    if (length == 0 || length > left)
        return 1;
    uint32_t code = byte[0] & (0xffu >> (length + 1));
    for (uint32_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 1;
        code = code << 6 | (byte[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < smallest[length] || code > 0x10ffff || surrogate)
        return 1;
    *character = code;
    return length;
}

void asif_clean(char *text) {
    uint64_t left = text ? strlen(text) : 0;
    while (left > 0) {
        uint32_t character, length = asif_utf8_next(text, left, &character);
        bool broken = character == 0xfffd && length == 1;
        if (broken || character < 0x20 || (character >= 0x7f && character < 0xa0))
            memset(text, '?', length);
        text += length;
        left -= length;
    }
}

asif_shown asif_show(const char *text) {
    asif_shown shown;
    size_t length = strlen(text), room = sizeof shown.text - 4;
    if (length <= room) {
        memcpy(shown.text, text, length + 1);
    } else {
        /* The cut must not fall within a character of several bytes. */
        while (room > 0 && ((unsigned char)text[room] & 0xC0U) == 0x80U)
            room--;
        memcpy(shown.text, text, room);
        memcpy(shown.text + room, "...", 4);
        length = room;
    }
    for (size_t i = 0; i < length && shown.text[i]; i++)
        if ((unsigned char)shown.text[i] < ' ')
            shown.text[i] = ' ';
    return shown;
}
