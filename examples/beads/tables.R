# The table of the beads task (docs/beads.md) from the files that Lu, Yi and Zhang published with their article.
#
#     Rscript tables.R FOLDER beads.csv
#
# FOLDER is the folder Data of github.com/hy-lu/autistic-trait-and-info-sampling, with choice_data.rds, rt_data.rds and
# subject_data.rds. Their licence is CC BY 4.0: name the article where you use the table. It has a row for each decision. People
# whom the authors left out are left out here, too.
arguments <- commandArgs(TRUE)
if (length(arguments) != 2) stop("usage: Rscript tables.R FOLDER beads.csv")
read <- function(name) as.data.frame(readRDS(file.path(arguments[1], name)))
trials <- read("choice_data.rds")
keys <- read("rt_data.rds")
people <- read("subject_data.rds")

# Left out are low Raven scores, by the rule of box plots, and six people who did badly or had not understood the task.
fence <- quantile(people$raven, .25) - 1.5 * IQR(people$raven)
people <- people[people$raven >= fence & !(people$id %in% c(6, 42, 44, 59, 66, 84)), ]
people$aq <- round((people$aq_total_4 - mean(people$aq_total_4)) / sd(people$aq_total_4), 4)

# A key press that showed a bead is a draw. The answer follows the last one.
draws <- keys[!is.na(keys$bead), ]
draws <- data.frame(id = draws$id, trial = draws$trial, draws = as.integer(draws$draw) - 1L, action = "draw", bead = draws$bead)
answers <- data.frame(id = trials$id, trial = trials$trial, draws = trials$draw_times,
                      action = ifelse(trials$resp == "b", "say_blue", "say_pink"), bead = "")
rows <- rbind(draws, answers)
rows <- merge(rows, trials[, c("id", "trial", "ratio", "cost")])
rows <- merge(rows, people[, c("id", "aq", "raven")])
rows <- rows[order(as.integer(rows$id), as.integer(rows$trial), rows$draws), ]
write.csv(data.frame(subject = rows$id, episode = rows$trial, evidence = as.numeric(rows$ratio), cost = as.numeric(rows$cost),
                     draws = rows$draws, action = rows$action, observation = rows$bead, aq = rows$aq, raven = rows$raven),
          arguments[2], row.names = FALSE, quote = FALSE)
