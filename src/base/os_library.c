/* Libraries that are opened while the program runs. */
#include "base/error.h"
#include "base/os.h"

#include <dlfcn.h>
#include <string.h>

asif_status asif_os_library(void **out, const char *path, asif_error *error) {
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out)
        return ASIF_OK;
    const char *why = dlerror();
    asif_fail(error, strchr(path, '/') && !asif_os_exists(path) ? ASIF_ENOFILE : ASIF_EIO, "%s",
              why ? why : "the library cannot be opened");
    return error ? error->status : ASIF_EIO;
}

asif_os_function *asif_os_symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    asif_os_function *function = NULL;
    memcpy(&function, &found, sizeof function); /* C has no cast from an object to a function */
    return function;
}
