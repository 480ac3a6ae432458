# Calls of the C library: every call has its threads and its progress, and returns a value, problems, or an error.

text_of <- function(record) {
  place <- c(if (!is.na(record$file)) record$file,
             if (!is.na(record$line)) record$line,
             if (!is.na(record$line) && !is.na(record$column)) record$column)
  row <- if (!is.na(record$row)) sprintf("row %.0f: ", record$row) else ""
  hint <- if (!is.na(record$hint)) paste0("\n  ", record$hint) else ""
  paste0(if (length(place)) paste0(paste(place, collapse = ":"), ": "), row, record$message, hint)
}

asif_condition <- function(record, text, class) {
  structure(class = c(class, "condition"),
            c(list(message = text, call = NULL),
              record[c("status", "file", "line", "column", "row", "hint", "code")]))
}

# All errors of a list are in the message, and the first of them gives the fields.
raise <- function(error, problems) {
  found <- Filter(function(p) p$severity == "error", problems)
  if (length(found)) error <- found[[1]]
  text <- if (length(found)) vapply(found, text_of, "") else text_of(error)
  condition <- asif_condition(error, paste(text, collapse = "\n"), c("asif_error", "error"))
  condition$problems <- problem_table(problems)
  stop(condition)
}

tell <- function(problems) {
  for (p in problems) {
    if (p$severity == "warning") warning(asif_condition(p, text_of(p), c("asif_warning", "warning")))
    if (p$severity == "note") message(asif_condition(p, paste0(text_of(p), "\n"), c("asif_note", "message")))
  }
}

problem_table <- function(problems) {
  column <- function(name, of) vapply(problems, function(p) p[[name]], of)
  data.frame(severity = column("severity", ""), file = column("file", ""), line = column("line", 0),
             column = column("column", 0), row = column("row", 0), message = column("message", ""),
             hint = column("hint", ""), stringsAsFactors = FALSE)
}

# One line on the terminal, which the next one replaces. Reports without a share come from within a stage that has one: they are
# shown until the first of these.
show_progress <- function() {
  counted <- FALSE
  function(what, done) {
    counted <<- counted || !is.na(done)
    share <- if (is.na(done)) "" else sprintf(" %.0f %%", 100 * done)
    if (!counted || !is.na(done)) cat(sprintf("\r%-70s", paste0(what, share)), file = stderr())
    FALSE
  }
}

# A function that reports progress, which C calls: an error in it stops the computation, and is kept for later.
progress_function <- function(progress, kept) {
  if (is.null(progress)) progress <- interactive()
  if (is.logical(progress)) progress <- if (isTRUE(progress)) show_progress()
  if (is.null(progress)) return(NULL)
  function(what, done) {
    tryCatch({
      kept$shown <- TRUE
      isTRUE(progress(what, done))
    }, error = function(e) {
      kept$error <- e
      TRUE
    })
  }
}

# What R does at Ctrl-C, with a message: a handler of `interrupt` sees it, else R returns to its prompt.
interrupt <- function(message) {
  condition <- structure(class = c("asif_interrupt", "interrupt", "condition"),
                         list(message = message, call = NULL))
  signalCondition(condition)
  if (!interactive()) stop(message, call. = FALSE)
  message(message)
  invokeRestart("abort")
}

CANCELLED <- -11L

call_asif <- function(routine, args, threads = NULL, progress = FALSE, on_stop = "stopped before the end") {
  kept <- new.env()
  if (is.null(threads)) threads <- getOption("asif.threads", detectCores())
  how <- list(threads = count_of(threads, "threads"), progress = progress_function(progress, kept))
  out <- do.call(.Call, list(routine, how, args), quote = TRUE)
  if (isTRUE(kept$shown) && !is.function(progress)) cat(sprintf("\r%70s\r", ""), file = stderr())
  if (!is.null(kept$error)) stop(kept$error)
  if (!is.null(out$error) && out$error$status == CANCELLED) interrupt(on_stop)
  if (!is.null(out$error)) raise(out$error, out$problems)
  out
}

value_of <- function(...) {
  out <- call_asif(...)
  tell(out$problems)
  out$value
}

# A whole number that is not negative, or NULL.
count_of <- function(value, name) {
  if (is.null(value)) return(NULL)
  good <- is.numeric(value) && length(value) == 1 && is.finite(value) && value >= 0 && value == floor(value)
  if (!good) stop("`", name, "` is a whole number that is not negative", call. = FALSE)
  as.numeric(value)
}

# All counts of a list of arguments.
counts_of <- function(...) {
  values <- list(...)
  mapply(count_of, values, names(values), SIMPLIFY = FALSE)
}

# What the caller wrote, in a few words: for messages, and for run.json.
words_of <- function(expression) substr(paste(deparse(expression, 500L, nlines = 3L), collapse = " "), 1, 500)

# How texts are laid out.
layout_args <- function() list(width = as.numeric(getOption("width")), unicode = isTRUE(l10n_info()[["UTF-8"]]))

# Named numbers or texts as the library reads them: "alpha=0.5".
pairs_of <- function(values) {
  if (is.null(values)) return(NULL)
  if (is.null(names(values))) return(as.character(values))
  paste0(names(values), "=", texts_of(values))
}

texts_of <- function(values) {
  vapply(values, function(v) if (is.numeric(v)) format(v, digits = 15, scientific = NA) else as.character(v), "")
}
