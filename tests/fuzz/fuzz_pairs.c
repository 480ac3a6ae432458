/* Any bytes as a table of pairs of episodes, all of which the logs must have, or some of them. The first byte
 * chooses. */
#include "asif.h"

#include "inverse/evidence/pairs.h"
#include "scratch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static asif_tree *make_tree(const asif_context *context) {
    static const char logs[] =
        "episode,t,action,observation\none,0,x,n\none,1,y,p\ntwo,0,x,p\n\"a,b\",0,y,n\n4,0,y,n\n";
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *tree = NULL;
    options.units = ASIF_UNITS_EPISODES;
    must(asif_logs_read_text(&tree, context, logs, strlen(logs), "logs", &options, NULL, NULL, NULL) ==
         ASIF_OK);
    return tree;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context;
    static asif_tree *tree;
    asif_pairs pairs;
    asif_error error = ASIF_ERROR_INIT;
    if (size == 0)
        return 0;
    if (!context) {
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
        tree = make_tree(context);
    }
    scratch_write("pairs.csv", data + 1, size - 1);
    asif_status status =
        asif_pairs_read(&pairs, context, scratch_path("pairs.csv"), data[0] % 2 != 0, tree, &error);
    /* Pairs of two different episodes of the logs, or an error with a message and the file. */
    must(status == error.status && (status == ASIF_OK || (error.message[0] && error.file[0])));
    must(status != ASIF_OK || pairs.count > 0);
    for (uint64_t i = 0; status == ASIF_OK && i < pairs.count; i++)
        must(pairs.unit[2 * i] < 4 && pairs.unit[2 * i + 1] < 4 &&
             pairs.unit[2 * i] != pairs.unit[2 * i + 1]);
    asif_pairs_free(&pairs);
    return 0;
}
