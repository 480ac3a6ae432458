#include "output.h"

#include "inputs.h"
#include "say.h"

#include <string.h>

int cli_output_open(asif_output **out, cli_job *job, const char *path, bool new_only) {
    cli_inputs inputs;
    asif_output_options options = ASIF_OUTPUT_OPTIONS_INIT;
    *out = NULL;
    int code = cli_inputs_find(&inputs, job, path);
    if (code == CLI_OK)
        code = cli_finish(CLI_OK); /* flush standard output first, so that both outputs stay in order */
    options.input = inputs.path;
    options.inputs = inputs.count;
    options.new_only = new_only;
    if (code == CLI_OK && asif_output_open(out, job->context, path, &options, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    cli_inputs_free(&inputs);
    return code;
}

int cli_output_check(cli_job *job, const char *path) {
    cli_inputs inputs;
    asif_output_options options = ASIF_OUTPUT_OPTIONS_INIT;
    if (!path || strcmp(path, "-") == 0)
        return CLI_OK;
    int code = cli_inputs_find(&inputs, job, path);
    options.input = inputs.path;
    options.inputs = inputs.count;
    if (code == CLI_OK && asif_output_check(job->context, path, &options, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    cli_inputs_free(&inputs);
    return code;
}

int cli_output_close(asif_output *output, cli_job *job, bool keep) {
    bool good = asif_output_close(output, keep, &job->error) == ASIF_OK;
    return good ? CLI_OK : cli_say_error(&job->error);
}

static int write_all(cli_job *job, const char *path, const char *text, size_t length, bool new_only) {
    asif_output *output;
    int code = cli_output_open(&output, job, path, new_only);
    if (code != CLI_OK)
        return code;
    bool good = asif_output_write(output, text, length, &job->error) == ASIF_OK;
    if (!good)
        code = cli_say_error(&job->error);
    int closed = cli_output_close(output, job, good);
    return good ? closed : code;
}

int cli_write(cli_job *job, const char *path, const char *text, size_t length) {
    return write_all(job, path, text, length, false);
}

int cli_write_new(cli_job *job, const char *path, const char *text, size_t length) {
    return write_all(job, path, text, length, true);
}

int cli_read_file(char **out, size_t *length, cli_job *job, const char *path) {
    uint64_t size = 0;
    asif_status status = asif_file_read(out, &size, job->context, path, &job->error);
    *length = (size_t)size;
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}
