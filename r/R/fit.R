# Fits: made in a folder, which everything else reads.

asif_fit <- function(study, data, folder = tempfile("asif-fit-"), method = NULL, values = NULL, map = NULL,
                     chains = NULL, warmup = NULL, draws = NULL, target_accept = NULL, starts = NULL, seed = 0,
                     world = NULL, worlds = NULL, sensitivity = TRUE, answers = TRUE, checkpoint = NULL,
                     force = FALSE, threads = NULL, progress = interactive()) {
  name <- words_of(substitute(data))
  call <- words_of(sys.call())
  folder <- path.expand(folder)
  numbers <- counts_of(chains = chains, warmup = warmup, draws = draws, starts = starts, seed = seed, worlds = worlds)
  args <- c(list(study = as_study(study), folder = folder, method = method, values = pairs_of(values),
                 map = pairs_of(map), target_accept = target_accept, world = world, sensitivity = sensitivity,
                 answers = answers, checkpoint = checkpoint, force = force, call = call),
            numbers, logs_args(data, name))
  on_stop <- paste0("The fit was stopped before its end. asif_fit() with the same arguments and folder = \"",
                    folder, "\" continues it.")
  how <- value_of(asifr_fit, args, threads, progress, on_stop)
  fit <- asif_open(folder)
  fit$how <- how
  fit
}

asif_open <- function(folder) {
  folder <- normalizePath(folder, mustWork = TRUE)
  structure(list(folder = folder, trusted = read_summary(folder)$trusted, how = "found"), class = "asif_fit")
}

read_summary <- function(folder) {
  value_of(asifr_summary, c(list(folder = folder), layout_args()), threads = 1)
}

print.asif_fit <- function(x, ...) {
  cat(read_summary(x$folder)$text)
  cat("\nIn the folder ", x$folder, "\n", sep = "")
  invisible(x)
}

# The numbers of fit.json are those of the command; the table has a row for each estimated number.
summary.asif_fit <- function(object, ...) {
  read <- read_summary(object$folder)
  numbers <- fromJSON(read$json)
  structure(list(text = read$text, trusted = read$trusted, parameters = parameter_table(numbers$parameters),
                 data = numbers), class = "summary.asif_fit")
}

print.summary.asif_fit <- function(x, ...) {
  cat(x$text)
  invisible(x)
}

PARAMETER_COLUMNS <- c("mean", "sd", "q05", "q50", "q95", "rhat", "ess_bulk", "ess_tail", "maximum")

parameter_table <- function(parameters) {
  number <- function(p, name) if (is.numeric(p[[name]])) p[[name]] else NA_real_
  numbers <- lapply(PARAMETER_COLUMNS, function(name) vapply(parameters, number, 0, name, USE.NAMES = FALSE))
  names(numbers) <- PARAMETER_COLUMNS
  identified <- vapply(parameters, function(p) as.character(p$identified), "", USE.NAMES = FALSE)
  data.frame(variable = names(parameters), numbers, identified = identified, stringsAsFactors = FALSE)
}

as.data.frame.asif_fit <- function(x, ...) summary(x)$parameters

# ---- draws ----

# Draws, chains and columns as an array, as package posterior takes it.
draws_of <- function(fit) {
  d <- value_of(asifr_draws, list(folder = fit$folder), threads = 1)
  if (is.null(d)) stop("this fit has no draws: its method only looks for a maximum", call. = FALSE)
  array(d$value, c(d$draws, d$chains, length(d$columns)),
        list(iteration = NULL, chain = NULL, variable = d$columns))
}

as_draws.asif_fit <- function(x, ...) posterior::as_draws_array(draws_of(x))
as_draws_array.asif_fit <- function(x, ...) as_draws.asif_fit(x)
as_draws_df.asif_fit <- function(x, ...) posterior::as_draws_df(draws_of(x))
as_draws_matrix.asif_fit <- function(x, ...) posterior::as_draws_matrix(as_draws.asif_fit(x))
as_draws_list.asif_fit <- function(x, ...) posterior::as_draws_list(as_draws.asif_fit(x))
as_draws_rvars.asif_fit <- function(x, ...) posterior::as_draws_rvars(as_draws.asif_fit(x))

# ---- figures ----

plot.asif_fit <- function(x, variables = NULL, ...) {
  draws <- draws_of(x)
  all <- dimnames(draws)$variable
  if (is.null(variables)) variables <- all
  missing <- setdiff(variables, all)
  if (length(missing))
    stop("there is no variable ", missing[1], "; there are ", paste(all, collapse = ", "), call. = FALSE)
  old <- par(mfrow = c(ceiling(length(variables) / 3), min(length(variables), 3)))
  on.exit(par(old))
  for (name in variables) {
    values <- as.vector(draws[, , name])
    hist(values, breaks = 40, main = name, xlab = name, ylab = "draws", col = "grey80", border = NA, ...)
    abline(v = quantile(values, c(0.05, 0.95)), lty = 2)
    abline(v = median(values))
  }
  invisible(x)
}

asif_figures <- function(fit, folder = NULL, extra = NULL, min_cell = NULL, threads = NULL) {
  args <- c(list(folder = fit$folder, min_cell = count_of(min_cell, "min_cell")), extra_args(extra))
  figures <- value_of(asifr_figures, args, threads)
  if (is.null(folder)) return(figures)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  files <- file.path(folder, paste0(names(figures), ".vl.json"))
  for (i in seq_along(figures)) writeLines(figures[[i]], files[i], sep = "", useBytes = TRUE)
  invisible(files)
}

asif_report <- function(fit, file, extra = NULL, min_cell = NULL, threads = NULL, progress = interactive()) {
  args <- c(list(folder = fit$folder, file = path.expand(file), min_cell = count_of(min_cell, "min_cell")), extra_args(extra))
  value_of(asifr_report, args, threads, progress)
  invisible(file)
}

# Answers to questions that a page shows too, as JSON.
extra_args <- function(extra) {
  if (inherits(extra, "asif_answer")) extra <- list(extra)
  list(extra = vapply(extra, function(a) a$json, ""), extra_name = vapply(extra, function(a) a$question, ""))
}
