/* For realpath(), which glibc keeps from plain POSIX. */
#define _XOPEN_SOURCE 700

#include "output.h"

#include "args.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file to remove if the command is interrupted. */
static char *volatile unfinished;

static void remove_unfinished(int signal_number) {
    char *path = unfinished;
    if (path)
        unlink(path);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void guard(char *path) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
    unfinished = path;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        action.sa_handler = path ? remove_unfinished : SIG_DFL;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static int refuse(const char *what, const char *path) {
    cli_say("cannot %s %s: %s", what, path, strerror(errno));
    if (errno == ENOENT)
        cli_hint("the folder must be there already");
    return CLI_SYSTEM;
}

static int refuse_existing(const char *path) {
    cli_say("%s is there already", path);
    cli_hint("choose another name, or remove it first");
    return CLI_USAGE;
}

/* A name for mkstemp() beside the file. Through a link, the file it points to is replaced, not the link. */
static char *temporary_name(const char *path, bool exists) {
    char *real = exists ? realpath(path, NULL) : NULL;
    const char *target = real ? real : path;
    size_t size = strlen(target) + sizeof ".XXXXXX";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.XXXXXX", target);
    free(real);
    return name;
}

static void forget_temporary(cli_output *output) {
    guard(NULL);
    free(output->temporary);
    output->temporary = NULL;
}

int cli_output_open(cli_output *output, const char *path, bool new_only) {
    struct stat there;
    *output = (cli_output){.path = path, .new_only = new_only};
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
        return CLI_OK;
    }
    bool exists = stat(path, &there) == 0;
    if (exists && new_only)
        return refuse_existing(path);
    if (exists && !S_ISREG(there.st_mode)) {
        output->file = fopen(path, "wb");
        return output->file ? CLI_OK : refuse("write", path);
    }
    output->temporary = temporary_name(path, exists);
    if (!output->temporary) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    int descriptor = mkstemp(output->temporary);
    if (descriptor < 0) {
        int code = refuse("write", path);
        forget_temporary(output);
        return code;
    }
    guard(output->temporary);
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, exists ? there.st_mode & 0777 : 0666 & ~mask);
    output->file = fdopen(descriptor, "wb");
    if (output->file)
        return CLI_OK;
    int code = refuse("write", path);
    close(descriptor);
    unlink(output->temporary);
    forget_temporary(output);
    return code;
}

/* Put the temporary file in place. link() fails if another file has come there meanwhile, rename() never. */
static int put_in_place(const cli_output *output) {
    if (!output->new_only) {
        char *real = realpath(output->path, NULL);
        int failed = rename(output->temporary, real ? real : output->path);
        free(real);
        return failed ? refuse("write", output->path) : CLI_OK;
    }
    if (link(output->temporary, output->path) == 0) {
        unlink(output->temporary);
        return CLI_OK;
    }
    if (errno == EEXIST)
        return refuse_existing(output->path);
    return rename(output->temporary, output->path) ? refuse("write", output->path) : CLI_OK;
}

int cli_output_close(cli_output *output, bool keep) {
    if (output->file == stdout)
        return cli_finish(CLI_OK);
    int code = CLI_OK;
    bool failed = fflush(output->file) != 0 || ferror(output->file);
    if (!failed && keep && output->temporary)
        failed = fsync(fileno(output->file)) != 0;
    if (fclose(output->file) != 0 && !failed)
        failed = true;
    if (failed && keep)
        code = refuse("write", output->path);
    else if (keep && output->temporary)
        code = put_in_place(output);
    if (output->temporary) {
        if (!keep || code != CLI_OK)
            unlink(output->temporary);
        forget_temporary(output);
    }
    return code;
}

int cli_read_file(char **out, size_t *length, const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t room = 1 << 16, used = 0;
    char *text = file ? malloc(room) : NULL;
    *out = NULL;
    if (!file) {
        cli_say("cannot read %s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    while (text) {
        size_t got = fread(text + used, 1, room - used, file);
        used += got;
        if (used < room)
            break;
        room *= 2;
        char *more = realloc(text, room);
        if (!more)
            free(text);
        text = more;
    }
    int code = CLI_OK;
    if (!text) {
        cli_say("out of memory while reading %s", path);
        code = CLI_SYSTEM;
    } else if (ferror(file)) {
        cli_say("cannot read %s: %s", path, strerror(errno));
        free(text);
        code = CLI_USAGE;
    } else {
        text[used] = 0; /* there is room for it */
        *out = text;
        *length = used;
    }
    if (file != stdin)
        fclose(file);
    return code;
}
