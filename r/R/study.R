# Studies, logs, and the agent of a study.

asif_version <- function() .Call(asifr_version)

asif_study <- function(path) {
  stopifnot(is.character(path), length(path) == 1)
  value <- value_of(asifr_study, c(list(path = normalizePath(path, mustWork = FALSE)), layout_args()), threads = 1)
  structure(value, class = "asif_study")
}

print.asif_study <- function(x, ...) {
  cat(x$about)
  invisible(x)
}

as_study <- function(study) {
  if (inherits(study, "asif_study")) study else asif_study(study)
}

# Logs for C: a data frame, or the path of a table or of a saved tree. Times that are kept as lists become
# numbers of seconds.
logs_args <- function(data, name) {
  if (is.character(data) && length(data) == 1) return(list(data = path.expand(data), name = data))
  if (!is.data.frame(data)) stop("the logs are a data frame, or the path of a table", call. = FALSE)
  for (i in seq_along(data)) if (inherits(data[[i]], "POSIXlt")) data[[i]] <- as.POSIXct(data[[i]])
  list(data = data, name = name)
}

asif_check <- function(study, data = NULL, values = NULL, map = NULL, threads = NULL) {
  name <- words_of(substitute(data))
  args <- c(list(study = as_study(study), values = pairs_of(values), map = pairs_of(map)), layout_args(),
            if (!is.null(data)) logs_args(data, name))
  out <- call_asif(asifr_check, args, threads)
  structure(c(out$value, list(problems = problem_table(out$problems))), class = "asif_check")
}

print.asif_check <- function(x, ...) {
  parts <- c(x$study, if (!is.na(x$logs)) paste0("THE LOGS\n", x$logs), if (nzchar(x$said)) x$said)
  cat(parts[!is.na(parts)], sep = "\n")
  if (!is.na(x$log_likelihood)) cat(sprintf("\nlog-likelihood of this agent: %.6f\n", x$log_likelihood))
  invisible(x)
}

# The logs as the bytes of a saved tree; for tests.
tree_bytes <- function(study, data, map = NULL) {
  args <- c(list(study = as_study(study), map = pairs_of(map)), logs_args(data, "data"))
  value_of(asifr_tree, args, threads = 1)
}

beliefs_of <- function(study, belief) {
  if (is.null(belief)) return(NULL)
  if (is.character(belief)) return(matrix(match(belief, study$states) - 1, nrow = 1))
  if (!is.matrix(belief)) belief <- matrix(belief, nrow = 1)
  if (anyNA(belief) || any(belief < 0) || any(abs(rowSums(belief) - 1) > 1e-6))
    stop("a belief has probabilities from 0 to 1 that sum to 1", call. = FALSE)
  storage.mode(belief) <- "double"
  t(belief)
}

asif_plan <- function(study, values = NULL, belief = NULL, history = NULL, start = NULL, first = NULL,
                      occupancy = FALSE, threads = NULL) {
  study <- as_study(study)
  args <- c(list(study = study, values = pairs_of(values), belief = beliefs_of(study, belief),
                 history = if (!is.null(history)) paste(history, collapse = ","), start = start, first = first,
                 occupancy = occupancy), layout_args())
  out <- value_of(asifr_plan, args, threads)
  if (!is.na(out$stopped))
    warning("the solver stopped before it reached the tolerance: ", out$stopped, call. = FALSE)
  structure(list(text = out$text, data = fromJSON(out$json)), class = "asif_answer")
}

asif_simulate <- function(study, values = NULL, episodes = 1, seed = 0, max_steps = NULL, start = NULL,
                          threads = NULL) {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  numbers <- counts_of(episodes = episodes, seed = seed, max_steps = max_steps)
  args <- c(list(study = as_study(study), values = pairs_of(values), start = start, file = file), numbers)
  cut <- value_of(asifr_simulate, args, threads)
  out <- read.csv(file, na.strings = "", check.names = FALSE, encoding = "UTF-8", stringsAsFactors = FALSE)
  attr(out, "cut") <- cut
  out
}
