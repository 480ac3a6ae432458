# The table of the three doors (docs/tiger-doors.md) from the file that Katayama, Shiraki, Ishii and Yoshida published with their
# article.
#
#     Rscript tables.R data.RData doors.csv
#
# data.RData is in the folder data of github.com/RisaKatayama/article-belief-hierarchical-spatial. Its licence is MIT: name the
# article where you use the table. It has a row for each action in the first room of a game, where nobody can know yet where in the
# maze they are. Rooms in which a person once pressed no key in time are left out.
arguments <- commandArgs(TRUE)
if (length(arguments) != 2) stop("usage: Rscript tables.R data.RData doors.csv")
file <- new.env()
load(arguments[1], file)
rows <- file$data
rows <- rows[rows$step == 1, ]
rows$subject <- paste0(rows$exptyp, rows$sbjno)
rows$episode <- paste(rows$session, rows$game, sep = ".")
rows <- rows[order(rows$exptyp, rows$sbjno, rows$session, rows$game, rows$trial), ]

# Actions are numbered within a room, and the last one opens a door. Where no key was pressed, the source has no row.
room <- paste(rows$subject, rows$episode)
numbered <- ave(rows$action, room, FUN = function(number) all(number == seq_along(number))) == 1
opened <- ave(rows$resp != 4, room, FUN = sum) == 1
rows <- rows[numbered & opened, ]

name <- function(number, names) {
  number[!(number %in% seq_along(names))] <- length(names) + 1
  c(names, "")[number]
}
doors <- c("left", "middle", "right")
write.csv(data.frame(subject = rows$subject, episode = rows$episode, t = rows$action - 1,
                     action = c(paste0("open_", doors), "listen")[rows$resp], observation = name(rows$tigroar, doors),
                     tiger = doors[rows$tigdoor], guess = name(rows$esttd, doors), sure = name(rows$conf.esttd, c("low", "high"))),
          arguments[2], row.names = FALSE, quote = FALSE)
