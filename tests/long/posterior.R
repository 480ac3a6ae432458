# Diagnostics of R's posterior on the chains that write_chains.py wrote, against ours: within 1e-6.
suppressPackageStartupMessages(library(posterior))
folder <- commandArgs(trailingOnly = TRUE)[1]
ours <- read.csv(file.path(folder, "summary.csv"))
theirs <- list(
    mean = mean, sd = function(x) stats::sd(x), q05 = function(x) stats::quantile(x, 0.05, names = FALSE),
    q50 = function(x) stats::median(x), q95 = function(x) stats::quantile(x, 0.95, names = FALSE),
    rhat = rhat, ess_bulk = ess_bulk, ess_tail = ess_tail, mcse_mean = mcse_mean, mcse_sd = mcse_sd
)
largest <- sapply(theirs, function(f) 0)
compared <- largest
failed <- 0
for (case in unique(ours$case)) {
    rows <- ours[ours$case == case, ]
    chains <- lapply(seq_len(rows$chains[1]), function(c)
        as_draws_df(read.csv(file.path(folder, sprintf("%d-%d.csv", case, c)), comment.char = "#")))
    draws <- do.call(bind_draws, c(lapply(chains, as_draws_array), along = "chain"))
    stopifnot(nchains(draws) == rows$chains[1])
    for (i in seq_len(nrow(rows))) {
        x <- extract_variable_matrix(draws, rows$column[i])
        spread <- stats::sd(x)
        for (field in names(theirs)) {
            want <- suppressWarnings(theirs[[field]](x))
            got <- rows[[field]][i]
            what <- sprintf("%d x %d, %s: %s", nchains(draws), niterations(draws), rows$name[i], field)
            if (is.na(want) || is.na(got)) {
                # Squares below its fixed tolerance are constant to posterior.
                if (is.na(want) != is.na(got) && !(is.na(want) && field == "mcse_sd" && spread < 1e-6)) {
                    cat("FAILED ", what, got, "and posterior has", want, "\n")
                    failed <- failed + 1
                }
                next
            }
            scale <- if (field %in% c("mean", "q05", "q50", "q95") && spread > 0) spread else abs(want)
            difference <- if (isTRUE(got == want)) 0 else abs(got - want) / scale
            compared[field] <- compared[field] + 1
            largest[field] <- max(largest[field], difference)
            if (!(difference <= 1e-6)) {
                cat("FAILED ", what, sprintf("%.17g and posterior has %.17g\n", got, want))
                failed <- failed + 1
            }
        }
    }
}
cat("posterior", as.character(packageVersion("posterior")), "\n")
for (field in names(theirs))
    cat(sprintf("  %-9s %.0f compared, largest difference %.1e\n", field, compared[field], largest[field]))
if (failed > 0 || any(compared < 100)) quit(status = 1)
