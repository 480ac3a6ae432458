/* Truths that are known: --truth NAME=VALUE, as what was estimated. */
#ifndef ASIF_CLI_COMMANDS_TRUTH_H
#define ASIF_CLI_COMMANDS_TRUTH_H

#include "args.h"
#include "asif/fit.h"

/* For each --truth the column of the draws, borrowed from the results, and its number there: alpha=0.5 is
 * log_alpha = log 0.5, beta=1.25 is optimism = 0.8. `*name` and `*value` are freed by free() in any case.
 * CLI_OK, or an exit code after saying what is wrong. */
int cli_read_truths(const char ***name, double **value, const cli_list *truth,
                    const asif_result *const *result, uint32_t results);

#endif
