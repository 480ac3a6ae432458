# R's loo on the cases that write_loo.py wrote, against ours: within 1e-4 in elpd and 1e-2 in k, unit by unit.
suppressPackageStartupMessages(library(loo))
folder <- commandArgs(trailingOnly = TRUE)[1]
ours <- read.csv(file.path(folder, "ours.csv"))
largest <- c(elpd = 0, p = 0, k = 0, efficiency = 0)
groups <- list()
failed <- 0
for (case in unique(ours$case)) {
    rows <- ours[ours$case == case, ]
    table <- as.matrix(read.csv(file.path(folder, sprintf("%d.csv", case)), check.names = FALSE))
    values <- table[, -1, drop = FALSE]
    constant <- apply(values, 2, function(x) max(x) == min(x))
    # exp() of a log-likelihood of some hundreds has no variance: a constant more or less changes no efficiency.
    r_eff <- if (rows$efficiency_is[1] == "given") rep(1, ncol(values)) else
        relative_eff(exp(sweep(values, 2, apply(values, 2, max))), chain_id = table[, 1])
    r_eff[constant] <- 1
    fit <- suppressWarnings(loo(values, r_eff = r_eff))
    theirs <- data.frame(elpd = fit$pointwise[, "elpd_loo"], p = fit$pointwise[, "p_loo"],
        k = fit$pointwise[, "influence_pareto_k"], efficiency = r_eff)
    for (field in names(theirs)) {
        got <- rows[[field]]
        want <- theirs[[field]]
        if (all(is.na(got))) next
        off <- ifelse(got == want, 0, abs(got - want))
        allowed <- if (field == "k") 1e-2 else 1e-4
        bad <- which(!(off <= allowed))
        for (i in bad)
            cat("FAILED ", rows$name[i], "unit", i, field, got[i], "and loo has", want[i], "\n")
        failed <- failed + length(bad)
        largest[field] <- max(largest[field], off)
        kind <- sub(",.*", "", rows$name[1])
        if (is.null(groups[[kind]])) groups[[kind]] <- c(units = 0, elpd = 0, k = 0)
        if (field %in% c("elpd", "k")) groups[[kind]][field] <- max(groups[[kind]][field], off)
        if (field == "elpd") groups[[kind]]["units"] <- groups[[kind]]["units"] + nrow(rows)
    }
    total <- c(sum(rows$elpd), sqrt(nrow(rows) * var(rows$elpd)))
    if (!all(abs(total - fit$estimates["elpd_loo", ]) <= 1e-4)) {
        cat("FAILED ", rows$name[1], "sum and se", total, "and loo has", fit$estimates["elpd_loo", ], "\n")
        failed <- failed + 1
    }
}
cat("loo", as.character(packageVersion("loo")), "on", nrow(ours), "units of", length(unique(ours$case)), "matrices\n")
for (kind in names(groups))
    cat(sprintf("  %-15s %5.0f units, largest difference in elpd %.1e, in k %.1e\n", kind, groups[[kind]]["units"],
        groups[[kind]]["elpd"], groups[[kind]]["k"]))
cat(sprintf("  in p %.1e, in relative efficiency %.1e\n", largest["p"], largest["efficiency"]))
if (failed > 0) quit(status = 1)
