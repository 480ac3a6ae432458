/**
 * @file
 * Files that are read or written as a whole.
 *
 * An output is written to a temporary file in the same folder, flushed to disk and then renamed: readers see
 * the old file or the new one, never a part. Symbolic links are followed, including those whose target does
 * not exist yet. A file that is replaced keeps its permissions. Devices, pipes and descriptors
 * (`/dev/stdout`, `/dev/fd/3`) are written to directly. "-" is standard output, or standard input.
 */
#ifndef ASIF_FILES_H
#define ASIF_FILES_H

#include "asif/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Upper limit on the bytes read from a pipe or a device, which may never end. Files on disk have no such
 * limit. */
#define ASIF_STREAM_LIMIT ((uint64_t)512 << 20)

/** What an output may replace. */
typedef struct {
    size_t struct_size;
    /** [inputs]: paths of the files that this output is computed from. The output may not be one of them,
     * even under another name. */
    const char *const *input;
    uint32_t inputs;
    bool new_only; /**< refuse to replace a file */
} asif_output_options;
#define ASIF_OUTPUT_OPTIONS_INIT                                                                             \
    { sizeof(asif_output_options), NULL, 0, false }

/** A file that is being written; it belongs to one thread at a time. */
typedef struct asif_output asif_output;

/**
 * Begin an output. If it needs a temporary file, `unfinished` of the context's options is called with its
 * name.
 *
 * @param[out] out   Owned by the caller, until asif_output_close().
 * @param context    Borrowed until then.
 * @param path       Where it goes; copied.
 * @param options    NULL: the defaults. Not needed afterwards.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOMEM, ASIF_EDOMAIN (no path), ASIF_EINVALID (the output is one of the inputs, or
 * exists although `new_only` is set) or ASIF_EIO. On failure nothing has changed on disk.
 */
ASIF_API asif_status asif_output_open(asif_output **out, const asif_context *context, const char *path,
                                      const asif_output_options *options, asif_error *error);
/** Check before a long computation whether asif_output_open() would fail, as far as can be seen without
 * writing. @return What asif_output_open() would return. */
ASIF_API asif_status asif_output_check(const asif_context *context, const char *path,
                                       const asif_output_options *options, asif_error *error);
/**
 * Add bytes to an output. They are buffered, and written in blocks.
 *
 * @return ASIF_OK, or ASIF_EIO; from then on every call fails in the same way. A process whose limit for the
 * size of files is exceeded gets SIGXFSZ, unless it ignores that signal.
 */
ASIF_API asif_status asif_output_write(asif_output *output, const char *data, uint64_t length,
                                       asif_error *error);
/**
 * End an output, and free it whatever happens; NULL is allowed. With `keep`, and if every byte could be
 * written, the file is renamed to its path, and file and folder are flushed to disk. Otherwise the temporary
 * file is removed and the old one stays.
 *
 * @return ASIF_OK, ASIF_EIO, or ASIF_EINVALID (meanwhile a file that must not be replaced has appeared
 * there).
 */
ASIF_API asif_status asif_output_close(asif_output *output, bool keep, asif_error *error);
/** Write a whole file: `length` bytes at `data` become the file `path`, or, on failure, nothing has changed.
 */
ASIF_API asif_status asif_file_write(const asif_context *context, const char *path, const char *data,
                                     uint64_t length, const asif_output_options *options, asif_error *error);
/**
 * Read a whole file.
 *
 * @param[out] out    Its bytes and a 0 after them; owned by the caller (asif_memory_free()).
 * @param[out] length Bytes without that 0.
 * @param context     For the memory.
 * @param path        "-" is standard input.
 * @param[out] error  May be NULL.
 * @return ASIF_OK, ASIF_ENOMEM, ASIF_EDOMAIN (no path), ASIF_ENOFILE, ASIF_EIO, or ASIF_ETOOBIG
 * (a pipe or device with more than ::ASIF_STREAM_LIMIT bytes).
 */
ASIF_API asif_status asif_file_read(char **out, uint64_t *length, const asif_context *context,
                                    const char *path, asif_error *error);
/** Whether a path can be read more than once: a regular file, also behind a link, but no pipe, no device, not
 * "-" and not NULL. */
ASIF_API bool asif_file_reads_again(const char *path);
/** Make a folder and its missing parents; success if it exists already. @return ASIF_OK, ASIF_ENOMEM,
 * ASIF_EDOMAIN (no path) or ASIF_EIO. */
ASIF_API asif_status asif_folder_make(const asif_context *context, const char *path, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
