# Prints the values of R's package loo that test_psis.c holds as literals: `Rscript psis_values.R`.
suppressPackageStartupMessages(library(loo))

# Autoregressive chains of normal numbers: Park and Miller's generator, which doubles hold exactly.
chains <- function(draws, count) {
    x <- 20240601
    sapply(seq_len(count), function(c) {
        theta <- numeric(draws)
        for (s in seq_len(draws)) {
            x <<- (16807 * x) %% 2147483647
            z <- qnorm(x / 2147483647)
            theta[s] <- if (s == 1) z else 0.5 * theta[s - 1] + sqrt(0.75) * z
        }
        theta
    })
}

units <- list(
    function(t) -0.05 * (t - 1)^2, function(t) -0.5 * (t - 2)^2, function(t) -0.3 * (t + 1)^2,
    function(t) 0 * t - 1.25, function(t) 0.4 * t, function(t) -0.45 * t^2, function(t) t - 100,
    function(t) -floor(abs(t))
)

show <- function(draws, count, corrected) {
    theta <- chains(draws, count)
    ll <- array(unlist(lapply(units, function(f) f(theta))), c(draws, count, length(units)))
    r_eff <- if (corrected) relative_eff(exp(ll)) else rep(1, length(units))
    r_eff[is.nan(r_eff)] <- 1
    fit <- suppressWarnings(loo(ll, r_eff = r_eff, save_psis = FALSE))
    cat(sprintf("    /* %d chains of %d%s */\n", count, draws, if (corrected) "" else ", as if independent"))
    for (i in seq_along(units))
        cat(sprintf("    {%.15g, %.15g, %s, %.15g},\n", fit$pointwise[i, "elpd_loo"],
            fit$pointwise[i, "p_loo"],
            if (is.finite(fit$pointwise[i, "influence_pareto_k"]))
                sprintf("%.15g", fit$pointwise[i, "influence_pareto_k"]) else "INFINITY", r_eff[i]))
}

cat("loo", as.character(packageVersion("loo")), "\n")
show(250, 4, TRUE)
show(250, 4, FALSE)
show(100, 3, TRUE)
show(40, 1, TRUE)
show(10, 2, FALSE)
