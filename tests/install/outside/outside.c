/* A stranger's program: prints the version if a context can be made. */
#include <asif.h>

#include <stdio.h>

int main(void) {
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context = NULL;
    if (asif_context_create(&context, NULL, &error) != ASIF_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("asif %s, %s\n", asif_version(), asif_context_vector(context));
    asif_context_free(context);
    return 0;
}
