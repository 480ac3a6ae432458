#!/usr/bin/env python3
"""Write the episodes of one level of control as a table for study.yaml.

    table.py observe-or-bet-day1.csv some > some.csv

The columns of the first file: subject, episode, t, action (observe, blue, red), observation (blue, red: the lucky light; kept,
switched: what became of a bet), control (none, little, some, lot, complete, unknown)."""
import csv
import sys

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    rows = [row for row in csv.DictReader(file) if row["control"] == sys.argv[2]]
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["subject", "episode", "t", "action", "observation"])
for row in rows:
    action = row["action"] if row["action"] == "observe" else "bet_" + row["action"]
    out.writerow([row["subject"], row["episode"], row["t"], action, row["observation"]])
