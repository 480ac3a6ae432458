/* Known true values: --truth NAME=VALUE, converted to the numbers that were estimated. */
#ifndef ASIF_CLI_COMMANDS_TRUTH_H
#define ASIF_CLI_COMMANDS_TRUTH_H

#include "args.h"
#include "asif/fit.h"

/* Find the column of the draws that each --truth is about, and the true number on the scale of that
 * column: alpha=0.5 is log_alpha = log 0.5, beta=1.25 is optimism = 0.8. The names are borrowed from the
 * results; `*name` and `*value` are freed by free() in any case. Returns CLI_OK, or an exit code after
 * printing what is wrong. */
int cli_read_truths(const char ***name, double **value, const cli_list *truth,
                    const asif_result *const *result, uint32_t results);

#endif
