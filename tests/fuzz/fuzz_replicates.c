/* Any bytes as the table of finished replicates of `asif recover` and `asif sbc`. The header is put before
 * them unless the first byte says otherwise, so that the rows are reached. What loads is saved, and loads
 * again as the same. */
#include "asif.h"
#include "questions/calibrate/calibrate.h"

#include "base/memory.h"
#include "base/os.h"
#include "questions/calibrate/replicates/replicate.h"
#include "scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char study_text[] =
    "asif: 1\nstates: [a, b]\nactions: [x, y]\nobservations: [n, p]\n"
    "environment: {start: uniform, emissions: [[0.7, 0.3], [0.3, 0.7]], ends: x}\n"
    "agent: {discount: 0.9, utility: {x: {a: 1, b: -1}, y: cost}, parameters: {alpha: learn, eta: learn, "
    "cost: 0}}\n"
    "solver: {resolution: 4}\n";

#define MOST_NUMBERS 8

/* As asif_replicates_create() leaves it before it reads the folder. */
static asif_replicates empty(const asif_context *context, const asif_estimates *estimates) {
    asif_replicates r = {.context = context, .fitting = estimates, .room = 3};
    r.quantity = asif_alloc(context, MOST_NUMBERS, sizeof *r.quantity);
    must(r.quantity != NULL);
    r.options = (asif_calibrate_options)ASIF_RECOVER_OPTIONS_INIT;
    r.options.replicates = 3;
    r.options.folder = scratch();
    r.options.key = "key";
    for (const asif_estimate_info *info; (info = asif_estimates_get(estimates, r.numbers)); r.numbers++)
        r.quantity[r.numbers].name = info->name;
    r.head = ASIF_KEPT_HEAD_OF_AGENT;
    r.width = r.head + (uint64_t)r.numbers * ASIF_KEPT_EACH;
    return r;
}

/* They live as long as the process. */
static asif_study *study;
static asif_work *work;
static asif_estimates *estimates;

static void make_estimates(const asif_context *context) {
    asif_estimate_spec spec[8];
    must(asif_study_read(&study, context, study_text, strlen(study_text), NULL, NULL, NULL) == ASIF_OK);
    uint32_t count = asif_study_estimates(study, spec, 8);
    must(asif_work_create(&work, context, asif_study_planner(study), asif_study_setting(study),
                          asif_study_solver(study), NULL) == ASIF_OK);
    must(asif_estimates_scaled(&estimates, context, work, asif_study_theta(study), spec, count,
                               ASIF_PRIORS_STATED, NULL, NULL) == ASIF_OK);
}

/* What a run without finished replicates saves. */
static size_t header(char *to, size_t room, const asif_replicates *like) {
    asif_replicates none = *like;
    none.room = 0;
    must(asif_replicates_save(&none, NULL) == ASIF_OK);
    FILE *file = fopen(scratch_path("replicates.csv"), "rb");
    must(file != NULL);
    size_t length = fread(to, 1, room, file);
    (void)fclose(file);
    must(length > 0 && length < room && to[length - 1] == '\n');
    return length;
}

static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void check_back(asif_replicates *r) {
    asif_replicates again = empty(r->context, r->fitting);
    must(asif_replicates_save(r, NULL) == ASIF_OK);
    asif_os_lock_release(&r->lock); /* another command comes after this one */
    r->locked = false;
    must(asif_replicates_load(&again, NULL) == ASIF_OK);
    for (uint32_t i = 0; i < again.room; i++) {
        must(asif_replicate_is(r, i, atomic_load(&again.state[i])));
        for (uint64_t k = 0; k < r->width; k++)
            must(same(asif_replicate_row(r, i)[k], asif_replicate_row(&again, i)[k]));
    }
    asif_replicates_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context;
    static char head[4096];
    static size_t length;
    asif_error error = ASIF_ERROR_INIT;
    if (size == 0)
        return 0;
    if (!context) {
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
        make_estimates(context);
    }
    asif_replicates r = empty(context, estimates);
    if (!length)
        length = header(head, sizeof head, &r);
    size_t before = data[0] == '!' ? 0 : length;
    char *text = malloc(before + size);
    must(text != NULL);
    memcpy(text, head, before);
    memcpy(text + before, data + 1, size - 1);
    scratch_write("replicates.csv", text, before + size - 1);
    free(text);
    asif_status status = asif_replicates_load(&r, &error);
    must(status == error.status && (status == ASIF_OK || (error.message[0] && error.file[0])));
    if (status == ASIF_OK) {
        must(r.room >= 3);
        if (r.room < 1000) /* else the rows of zeros take their time */
            check_back(&r);
    }
    asif_replicates_free(&r);
    return 0;
}
