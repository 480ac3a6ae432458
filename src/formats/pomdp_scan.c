/* Scans the words, numbers and signs of a .pomdp file. */
#include "formats/pomdp.h"

#include "base/error.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void asif_pomdp_scan_init(asif_pomdp_scanner *scanner, const char *text, uint64_t length, const char *name,
                          asif_error *error) {
    static const char mark[] = "\xEF\xBB\xBF"; /* byte order mark, with which some editors begin UTF-8 */
    if (!text)
        text = "";
    if (length >= 3 && memcmp(text, mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    *scanner = (asif_pomdp_scanner){
        .text = text, .end = text + length, .name = name, .line = 1, .line_start = text, .error = error};
}

static asif_status fail_here(asif_pomdp_scanner *s, asif_status status) {
    asif_error_at(s->error, s->name, s->token.line, s->token.column);
    return status;
}

static void skip_blanks(asif_pomdp_scanner *s) {
    for (; s->text < s->end; s->text++) {
        char c = *s->text;
        if (c == '#') {
            const char *stop = memchr(s->text, '\n', (size_t)(s->end - s->text));
            s->text = stop ? stop : s->end;
            if (!stop)
                return;
            c = '\n';
        }
        if (c == '\n') {
            s->line++;
            s->line_start = s->text + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

static const char *skip_digits(const char *p, const char *end) {
    while (p < end && is_digit(*p))
        p++;
    return p;
}

static asif_status scan_number(asif_pomdp_scanner *s) {
    asif_pomdp_token *t = &s->token;
    const char *p = skip_digits(s->text, s->end);
    t->kind = ASIF_POMDP_INTEGER;
    if (p < s->end && *p == '.') {
        t->kind = ASIF_POMDP_REAL;
        p = skip_digits(p + 1, s->end);
    }
    if (p < s->end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        if (q < s->end && (*q == '+' || *q == '-'))
            q++;
        if (q < s->end && is_digit(*q)) {
            t->kind = ASIF_POMDP_REAL;
            p = skip_digits(q, s->end);
        }
    }
    t->length = (uint64_t)(p - t->text);
    s->text = p;
    char words[ASIF_POMDP_TOKEN_SIZE];
    if (p < s->end && (is_letter(*p) || *p == '_' || *p == '.')) {
        asif_fail(s->error, ASIF_EPARSE, "%s is followed by '%c' without a space between them",
                  asif_pomdp_token_text(t, words), *p);
        asif_error_hint(s->error, "a name begins with a letter; a number has one point and digits");
        return fail_here(s, ASIF_EPARSE);
    }
    if (!asif_number_read(t->text, t->length, &t->value) || !isfinite(t->value)) {
        asif_fail(s->error, ASIF_EPARSE, "%s is too large or too long", asif_pomdp_token_text(t, words));
        return fail_here(s, ASIF_EPARSE);
    }
    return ASIF_OK;
}

static void scan_name(asif_pomdp_scanner *s) {
    asif_pomdp_token *t = &s->token;
    while (s->text < s->end &&
           (is_letter(*s->text) || is_digit(*s->text) || *s->text == '_' || *s->text == '-'))
        s->text++;
    t->length = (uint64_t)(s->text - t->text);
    t->word = asif_pomdp_word(t->text, t->length);
    t->kind = t->word < 0 ? ASIF_POMDP_NAME : ASIF_POMDP_WORD;
}

static asif_status scan_other(asif_pomdp_scanner *s) {
    static const struct {
        char c;
        asif_pomdp_kind kind;
    } signs[] = {
        {':', ASIF_POMDP_COLON}, {'*', ASIF_POMDP_STAR}, {'+', ASIF_POMDP_PLUS}, {'-', ASIF_POMDP_MINUS}};
    char c = *s->text;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].c == c) {
            s->token.kind = signs[i].kind;
            s->token.length = 1;
            s->text++;
            return ASIF_OK;
        }
    const char *digits = s->text + 1, *stop = skip_digits(digits, s->end);
    if (c == '.' && stop > digits) {
        int shown = stop - digits > 20 ? 20 : (int)(stop - digits);
        asif_fail(s->error, ASIF_EPARSE, "a number must begin with a digit, not with a point");
        asif_error_hint(s->error, "write 0.%.*s", shown, digits);
    } else if (c > ' ' && c <= '~') {
        asif_fail(s->error, ASIF_EPARSE, "'%c' has no meaning in this format", c);
        asif_error_hint(s->error, "names have letters, digits, '_' and '-'; a comment begins with '#'");
    } else {
        asif_fail(s->error, ASIF_EPARSE, "the byte 0x%02X has no meaning in this format", (unsigned char)c);
        asif_error_hint(s->error, "outside of comments the file must be plain ASCII text");
    }
    return fail_here(s, ASIF_EPARSE);
}

asif_status asif_pomdp_scan(asif_pomdp_scanner *s) {
    skip_blanks(s);
    s->token = (asif_pomdp_token){.kind = ASIF_POMDP_END,
                                  .word = -1,
                                  .text = s->text,
                                  .line = s->line,
                                  .column = (uint32_t)(s->text - s->line_start) + 1};
    if (s->text == s->end)
        return ASIF_OK;
    if (is_digit(*s->text))
        return scan_number(s);
    if (!is_letter(*s->text))
        return scan_other(s);
    scan_name(s);
    return ASIF_OK;
}

const char *asif_pomdp_token_text(const asif_pomdp_token *token, char *buffer) {
    int shown = token->length > 40 ? 40 : (int)token->length;
    const char *more = token->length > 40 ? "..." : "";
    bool number = token->kind == ASIF_POMDP_INTEGER || token->kind == ASIF_POMDP_REAL;
    if (token->kind == ASIF_POMDP_END)
        return "the end of the file";
    asif_format(buffer, ASIF_POMDP_TOKEN_SIZE, number ? "%.*s%s" : "`%.*s`%s", shown, token->text, more);
    return buffer;
}
