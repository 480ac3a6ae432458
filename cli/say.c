#include "say.h"

#include "args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const severity_words[] = {"error", "warning", "note"};

void cli_say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("asif: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

void cli_hint(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("  hint: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

static void print_problem(FILE *file, const char *prefix, const asif_error *error, const char *severity) {
    fputs(prefix, file);
    if (error->file[0]) {
        fprintf(file, "%s:", error->file);
        if (error->line)
            fprintf(file, "%" PRIu32 ":", error->line);
        if (error->line && error->column)
            fprintf(file, "%" PRIu32 ":", error->column);
        fputc(' ', file);
    } else if (error->line) {
        fprintf(file, "line %" PRIu32 ": ", error->line);
    }
    if (error->row)
        fprintf(file, "row %" PRIu64 ": ", error->row);
    if (severity)
        fprintf(file, "%s: ", severity);
    fprintf(file, "%s\n", error->message[0] ? error->message : asif_status_text(error->status));
    if (error->hint[0])
        fprintf(file, "  hint: %s\n", error->hint);
}

int cli_say_error(const asif_error *error) {
    print_problem(stderr, "asif: ", error, NULL);
    return error->status == ASIF_ENOMEM || error->status == ASIF_ECANCELLED ? CLI_SYSTEM : CLI_USAGE;
}

void cli_print_problems(FILE *file, const asif_problems *problems, const char *prefix, bool all) {
    uint64_t more = 0, kept_errors = 0;
    for (uint32_t i = 0; i < asif_problems_count(problems); i++) {
        asif_severity severity;
        const asif_error *error = asif_problems_get(problems, i, &severity);
        kept_errors += severity == ASIF_PROBLEM_ERROR;
        if (severity == ASIF_PROBLEM_ERROR || all)
            print_problem(file, prefix, error,
                          severity == ASIF_PROBLEM_ERROR ? NULL : severity_words[severity]);
    }
    more = asif_problems_found(problems, ASIF_PROBLEM_ERROR) - kept_errors;
    if (more)
        fprintf(file, "%sand %" PRIu64 " more\n", prefix, more);
}

/* Length of the UTF-8 character at `s`; 0 if there is none. */
static int utf8_length(const unsigned char *s) {
    int length = s[0] < 0x80                   ? 1
                 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                 : (s[0] & 0xf0) == 0xe0       ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0, beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

void cli_json_string(FILE *file, const char *string) {
    const unsigned char *s = (const unsigned char *)string;
    fputc('"', file);
    while (*s) {
        int length = utf8_length(s);
        if (length == 0)
            fputs("\xef\xbf\xbd", file);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(file, "\\u%04x", (unsigned)*s);
        else if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else
            fwrite(s, 1, (size_t)length, file);
        s += length ? length : 1;
    }
    fputc('"', file);
}

void cli_csv_field(FILE *file, const char *field) {
    size_t length = strlen(field);
    bool outer_blank = length && (strchr(" \t", field[0]) || strchr(" \t", field[length - 1]));
    if (!outer_blank && !field[strcspn(field, ",\"\r\n")]) {
        fputs(field, file);
        return;
    }
    fputc('"', file);
    for (; *field; field++) {
        if (*field == '"')
            fputc('"', file);
        fputc(*field, file);
    }
    fputc('"', file);
}

bool cli_is_utf8(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(variables[i]);
        if (!value || !*value)
            continue;
        return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8") ||
               strstr(value, "UTF8");
    }
    return false;
}

uint32_t cli_width(void) {
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col < 40 ? 40 : size.ws_col > 100 ? 100 : size.ws_col;
}

int cli_finish(int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    cli_say("writing to standard output failed%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return CLI_SYSTEM;
}
