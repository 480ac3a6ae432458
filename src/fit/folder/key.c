/* The key of a computation: a digest of everything that it depends on. Checkpoints and finished parts are
 * used again only under the same key. */
#include "asif/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

/* Add a part with its terminator, so that no two lists of parts make the same bytes. */
static void add(asif_sha256 *hash, const char *text) {
    asif_sha256_add(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_number(asif_sha256 *hash, double number) {
    char text[ASIF_NUMBER_SIZE];
    add(hash, asif_number_text(text, number));
}

static void add_given(asif_sha256 *hash, const asif_theta *given) {
    const char *name;
    for (uint32_t i = 0; given && (name = asif_theta_name(given, i)); i++) {
        double value = 0;
        (void)asif_theta_get(given, name, &value, NULL);
        add(hash, name);
        add_number(hash, value);
    }
    add(hash, "");
}

static void add_solver(asif_sha256 *hash, const asif_plan_options *o) {
    const asif_plan_options usual = ASIF_PLAN_OPTIONS_INIT;
    o = o ? o : &usual;
    const double part[] = {o->resolution,  o->tol,     (double)o->max_backups, o->time_limit_sec,
                           o->newton_only, o->sampled, (double)o->samples,     (double)o->seed,
                           o->unrolled,    o->hidden,  o->lattice_error,       o->beliefs};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        add_number(hash, part[i]);
}

/* Add the logs as they are saved: counts, columns and names of units. */
static asif_status add_logs(asif_sha256 *hash, const asif_tree *logs, asif_error *error) {
    char *bytes = NULL;
    uint64_t length = 0;
    if (!logs)
        return ASIF_OK;
    ASIF_TRY(asif_tree_bytes(&bytes, &length, logs, error));
    asif_sha256_add(hash, bytes, length);
    asif_free(logs->context, bytes);
    return ASIF_OK;
}

asif_status asif_key_make(char *out, const asif_key_parts *parts, asif_error *error) {
    uint8_t digest[ASIF_SHA256_SIZE];
    asif_sha256 hash;
    out[0] = 0;
    if (!parts || parts->struct_size != sizeof *parts || !parts->command || !parts->study)
        return asif_fail(error, ASIF_EDOMAIN, "a key needs the name of a command and a study");
    asif_sha256_begin(&hash);
    add(&hash, asif_version());
    add(&hash, parts->command);
    add(&hash, asif_study_digest(parts->study));
    add_given(&hash, parts->given);
    add_solver(&hash, parts->solver);
    add(&hash, parts->options);
    ASIF_TRY(add_logs(&hash, parts->logs, error));
    asif_sha256_end(&hash, digest);
    asif_sha256_text(digest, out);
    return ASIF_OK;
}
