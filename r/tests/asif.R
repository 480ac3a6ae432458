# The package by itself: data frames as logs, a fit, what is asked of it, errors and interrupts. Expected values are those of the
# same table as a file, of package posterior, and of R.
library(asif)
options(asif.threads = 2)

same <- function(a, b) stopifnot(identical(a, b))
caught <- function(expression, class) {
  condition <- tryCatch({ expression; NULL }, condition = function(c) c)
  stopifnot(inherits(condition, class))
  condition
}
example <- function(name) system.file("examples", name, package = "asif", mustWork = TRUE)
same(asif_version(), as.character(utils::packageVersion("asif")))

# ---- a data frame is read as the same table in a file is ----

study_of <- function(logs, observations = "[a, b, c]") {
  file <- tempfile(fileext = ".yaml")
  writeLines(c("asif: 1", "title: Types", "states: [x, y]", "actions: [go, stay]",
               paste("observations:", observations),
               "environment:", "  start: [0.5, 0.5]", "  transitions: {any: identity}",
               "  emissions: [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]",
               "agent:", "  discount: 0.9", "  utility: {go: 1, stay: 0}", "  parameters: {alpha: learn}",
               "logs:", logs), file)
  asif_study(file)
}
as_file <- function(table) {
  file <- tempfile(fileext = ".csv")
  write.csv(table, file, row.names = FALSE, na = "", quote = TRUE)
  file
}
same_tree <- function(study, table, file = as_file(table)) {
  bytes <- asif:::tree_bytes(study, table)
  stopifnot(is.raw(bytes), length(bytes) > 100)
  same(bytes, asif:::tree_bytes(study, file))
}

plain <- c("  episode: id", "  time: when", "  action: did", "  observation: saw", "  missing: not_seen")
study <- study_of(plain)
table <- data.frame(id = c(1, 1, 2, 2, 2, 3), when = c(0L, 1L, 0L, 1L, 2L, 0L),
                    did = c("go", "stay", "stay", "go", "stay", "go"), saw = c("a", NA, "b", "c", NA, "a"),
                    weight = c(1, 1, 0.1, 0.1, 0.1, 1 / 3), stringsAsFactors = FALSE)
same_tree(study, table)

# Factors, with a level that is not used, and missing values; texts beyond ASCII in Latin-1.
factors <- transform(table, did = factor(did, levels = c("stay", "none", "go")), saw = factor(saw))
same_tree(study, factors)
same(asif:::tree_bytes(study, factors), asif:::tree_bytes(study, table))
latin <- transform(table, id = iconv(c("Zo\u00eb", "Zo\u00eb", "b", "b", "b", "\u00c5sa"), "UTF-8", "latin1"))
utf8 <- transform(table, id = c("Zo\u00eb", "Zo\u00eb", "b", "b", "b", "\u00c5sa"))
same(asif:::tree_bytes(study, latin), asif:::tree_bytes(study, utf8))

# Dates and times order the rows: the table comes backwards, and a time zone changes nothing.
days <- transform(table, when = as.Date("2024-02-27") + when)[nrow(table):1, ]
same_tree(study, days)
same(asif:::tree_bytes(study, transform(days, when = as.integer(unclass(when)))), asif:::tree_bytes(study, days))
times <- transform(table, when = as.POSIXct("2024-03-10 06:30:00.25", tz = "UTC") + 3600 * when)[nrow(table):1, ]
same_tree(study, times)
attr(times$when, "tzone") <- "America/New_York"
same_tree(study, times, as_file(transform(times, when = format(when, tz = "UTC"))))
times$when <- as.POSIXlt(times$when)
same(asif:::tree_bytes(study, times), asif:::tree_bytes(study, days))

# Numbers that are cut, whole or not, with missing ones; integers of 64 bits; logical values.
cut <- study_of(c(plain[1:3], "  observation: {column: saw, cut: [0.5, 2], labels: [a, b, c]}", plain[5]))
same_tree(cut, transform(table, saw = c(0.25, NA, NaN, 2, 1e300, -3)))
same_tree(cut, transform(table, saw = c(0L, NA, 1L, 2L, 7L, -3L)))
words <- study_of(c(plain[1:3], "  observation: {column: saw, labels: {true: a, false: b}}", plain[5]))
truth <- c(TRUE, NA, FALSE, TRUE, TRUE, FALSE)
same_tree(words, transform(table, saw = truth), as_file(transform(table, saw = tolower(truth))))
if (requireNamespace("bit64", quietly = TRUE)) {
  ids <- bit64::as.integer64(c("9007199254740993", "9007199254740993", "2", "2", "2", "-9007199254740995"))
  long <- table
  long$id <- ids
  same_tree(study, long, as_file(transform(table, id = as.character(ids))))
}

# Columns that are no cells may be there, and cannot be used.
odd <- table
odd$list <- as.list(seq_len(nrow(odd)))
odd$matrix <- matrix(0, nrow(odd), 2)
same(asif:::tree_bytes(study, odd), asif:::tree_bytes(study, table))
caught(asif:::tree_bytes(study, odd, map = c(action = "list")), "asif_error")

# Errors have their place.
error <- caught(asif:::tree_bytes(study, transform(table, did = sub("go", "Go", did))), "asif_error")
stopifnot(error$row == 1, grepl("Go", conditionMessage(error)), grepl("go", error$hint), nrow(error$problems) >= 1)
writeLines(c("asif: 1", "title: x", "states: [a, b"), bad <- tempfile())
error <- caught(asif_study(bad), "asif_error")
stopifnot(error$file == bad, error$line >= 3)
check <- asif_check(study, transform(table, did = sub("go", "Go", did)))
stopifnot(!check$ok, check$problems$row[1] == 1)
stopifnot(asif_check(study, table)$ok)
caught(asif_fit(study, 1:3), "error")
for (wrong in list("4", -1, 1.5, NA, 1:2)) caught(asif_fit(study, table, chains = wrong), "error")

# ---- an agent ----

study <- asif_study(example("diag.yaml"))
values <- c(alpha = 0.5, beta = 1.25, eta = 0)
plan <- asif_plan(study, values, belief = rbind(c(0.5, 0.5), c(0.1, 0.9)), history = "monitor:positive")
policy <- as.matrix(as.data.frame(plan$data$beliefs$policy))
stopifnot(max(abs(rowSums(policy) - 1)) < 1e-12)
caught(asif_plan(study, c(alpa = 1)), "asif_error")
caught(asif_plan(study, values, belief = c(0.5, 0.4, 0.1)), "error")
logs <- asif_simulate(study, values, episodes = 60, seed = 3)
same(logs, asif_simulate(study, values, episodes = 60, seed = 3, threads = 1))
stopifnot(length(unique(logs$episode)) == 60)

# ---- a fit ----

folder <- tempfile()
draws <- 300
quick <- function(...) {
  asif_fit(study, logs, folder, method = "nuts", values = c(eta = 0), warmup = 150, draws = draws, answers = FALSE,
           seed = 1, ...)
}
# Stopped by the progress function, in the middle of the draws; then by an error in it; then it ends. A fast machine ends
# before R is told of its draws: then there are more of them.
stop_in <- function(what, done) grepl("^sampling", what)
repeat {
  stopped <- tryCatch({ quick(progress = stop_in, checkpoint = 0.05, threads = 1); NULL }, interrupt = identity)
  if (!is.null(stopped) || draws > 1e5) break
  folder <- tempfile()
  draws <- 3 * draws
}
stopifnot(inherits(stopped, "asif_interrupt"))
error <- caught(quick(progress = function(what, done) stop("of mine")), "error")
same(conditionMessage(error), "of mine")
fit <- quick(progress = FALSE)
whole <- asif_fit(study, logs, method = "nuts", values = c(eta = 0), warmup = 150, draws = draws, answers = FALSE,
                  seed = 1, threads = 1, progress = FALSE)
same(quick()$how, "found")
for (file in c("fit.json", "chain-1.csv", "logs.tree"))
  same(unname(tools::md5sum(file.path(fit$folder, file))), unname(tools::md5sum(file.path(whole$folder, file))))
caught(asif_fit(study, logs, folder, values = c(eta = 1), answers = FALSE), "asif_error")

# Our numbers are those of package posterior.
ours <- summary(fit)$parameters
if (requireNamespace("posterior", quietly = TRUE)) {
  theirs <- posterior::summarise_draws(posterior::as_draws_df(fit), "mean", "sd", ~ quantile(.x, c(0.05, 0.5, 0.95)),
                                       "rhat", "ess_bulk", "ess_tail")
  same(theirs$variable, ours$variable)
  for (i in 2:9) {
    apart <- max(abs(theirs[[i]] / ours[[c("variable", asif:::PARAMETER_COLUMNS)[i]]] - 1))
    cat(sprintf("%-9s relative difference from posterior %.1e\n", names(theirs)[i], apart))
    stopifnot(apart < 1e-6)
  }
}

# ---- what is asked of it ----

answer <- asif_ask(fit, "sensitivity", vary = c(wrong = "-30:-40"), points = 2, draws = 0, progress = FALSE)
stopifnot(nchar(answer$text) > 100, is.data.frame(as.data.frame(answer)), nrow(answer$table) > 2)
caught(asif_ask(fit, "sensitivitie"), "asif_error")
caught(asif_ask(fit, "sensitivity", pionts = 2), "asif_error")
stopifnot(asif_ask(fit, "explain", logs, episode = "7", draws = 20)$question == "explain")
stopifnot(all(c("sensitivity", "compare") %in% asif_questions()$question))
stopifnot(any(grepl("^  vary = NAME=A:B$", capture.output(print(asif_questions("sensitivity"))))))
page <- tempfile(fileext = ".html")
asif_report(fit, page, extra = answer, progress = FALSE)
stopifnot(any(grepl("Diagnosis", readLines(page, warn = FALSE))))
figures <- asif_figures(fit)
stopifnot(length(figures) >= 3, vapply(figures, function(f) is.list(jsonlite::fromJSON(f)), NA))
pdf(NULL)
plot(fit)
caught(plot(fit, "none"), "error")
same(asif_open(folder)$trusted, fit$trusted)
stopifnot(any(grepl("log_alpha", capture.output(print(summary(fit)$parameters)))))
invisible(capture.output(print(fit), print(study), print(check), print(plan), print(answer)))
