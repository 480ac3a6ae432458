# Questions: one function for all, from the table of questions and options that the command has.

asif_questions <- function(question = NULL) {
  rows <- as.data.frame(value_of(asifr_questions, list(), threads = 1), stringsAsFactors = FALSE)
  if (!is.null(question)) rows <- rows[rows$question == question, ]
  structure(rows, class = c("asif_questions", "data.frame"))
}

print.asif_questions <- function(x, ...) {
  for (question in unique(x$question)) {
    rows <- x[x$question == question, ]
    cat(question, ": ", rows$summary[1], "\n", sep = "")
    for (i in seq_len(nrow(rows))) {
      cat("  ", gsub("-", "_", rows$option[i]), if (nzchar(rows$value[i])) paste0(" = ", rows$value[i]), "\n", sep = "")
      cat(strwrap(rows$help[i], indent = 6, exdent = 6), sep = "\n")
    }
  }
  invisible(x)
}

asif_ask <- function(x, question, ..., threads = NULL, progress = interactive()) {
  more <- list(...)
  named <- nzchar(names(more) %||% rep("", length(more)))
  made <- new.env()
  on.exit(unlink(made$file, recursive = TRUE))
  operands <- unlist(lapply(c(as_operands(x), more[!named]), operand_of, made))
  args <- c(list(question = question, operand = operands), option_args(more[named]), layout_args())
  out <- value_of(asifr_ask, args, threads, progress)
  structure(list(question = question, text = out$text, json = out$json, data = fromJSON(out$json),
                 table = if (!is.na(out$table)) read.csv(text = out$table, check.names = FALSE), no = out$no),
            class = "asif_answer")
}

print.asif_answer <- function(x, ...) {
  cat(x$text)
  invisible(x)
}

as.data.frame.asif_answer <- function(x, ...) {
  if (is.null(x$table)) stop("this answer has no table", call. = FALSE)
  x$table
}

`%||%` <- function(a, b) if (is.null(a)) b else a

is_one <- function(x) is.character(x) || is.data.frame(x) || inherits(x, c("asif_fit", "asif_study"))

as_operands <- function(x) if (is_one(x)) list(x) else x

# The path of what a question is about. A data frame is written as a table.
operand_of <- function(x, made) {
  if (inherits(x, "asif_fit")) return(x$folder)
  if (inherits(x, "asif_study")) return(x$path)
  if (is.character(x)) return(path.expand(x))
  if (!is.data.frame(x)) stop("a question is about fits, studies, data frames or paths", call. = FALSE)
  file <- tempfile(fileext = ".csv")
  made$file <- c(made$file, file)
  write.csv(x, file, row.names = FALSE, na = "", fileEncoding = "UTF-8")
  file
}

# Options as the command has them: max_steps = 40 is --max-steps 40, TRUE is a switch, and several values
# repeat the option. A named vector is one of pairs: vary = c(wrong = "-20:-60").
option_args <- function(options) {
  texts <- lapply(options, function(value) {
    if (is.logical(value)) return(if (isTRUE(value)) "true")
    pairs_of(value)
  })
  texts <- lapply(texts, function(t) if (is.null(t)) character() else unname(t))
  list(option = rep(gsub("_", "-", names(options)), lengths(texts)), value = as.character(unlist(texts)))
}
