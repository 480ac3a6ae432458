"use strict";
// The tables of the page: rows of texts into a table element, and numbers as people read them.

const percent = (p) => (p > 0 && p < 0.001 ? "<0.1 %" : (100 * p).toFixed(1) + " %");

function number(x) {
  if (x === null || x === undefined || x === "nan") return "–";
  if (typeof x === "string") return x;
  if (Math.abs(x) < 1e-9) return "0";
  return Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}

function element(name, text, more = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  Object.assign(made, more);
  return made;
}

// caption, titles of the columns, and rows whose first cell names them. The cells are kept where the table has the same form.
function fillTable(table, caption, head, rows) {
  const cells = [head, ...rows].flat();
  const form = rows.length + "x" + head.length;
  if (table.dataset.form !== form) {
    table.dataset.form = form;
    const top = element("thead");
    const body = element("tbody");
    top.append(element("tr"));
    head.forEach(() => top.firstChild.append(element("th", "", { scope: "col" })));
    rows.forEach(() => {
      const row = element("tr");
      head.forEach((_, i) => row.append(i ? element("td") : element("th", "", { scope: "row" })));
      body.append(row);
    });
    table.replaceChildren(element("caption"), top, body);
  }
  table.caption.textContent = caption;
  table.querySelectorAll("th, td").forEach((cell, i) => {
    if (cell.textContent !== cells[i]) cell.textContent = cells[i];
  });
}

function policiesTable(table, study, grid, states) {
  const points = grid.value.length;
  const rows = [];
  for (let k = 0; k <= 10 && states === 2; k++) {
    const at = Math.round((k / 10) * (points - 1));
    rows.push([number(at / (points - 1)), ...study.actions.map((_, u) => percent(grid.policy[at * study.actions.length + u])), number(grid.value[at])]);
  }
  if (states === 3)
    study.states.forEach((name, s) => {
      const at = [0, Math.round(Math.sqrt(2 * points)) - 2, points - 1][s];
      rows.push(["certain: " + name, ...study.actions.map((_, u) => percent(grid.policy[at * study.actions.length + u])), number(grid.value[at])]);
    });
  fillTable(table, "Probability of each action, and the value of the belief", [states === 2 ? "belief in " + study.states[1] : "belief", ...study.actions, "value"], rows);
}

// What a belief is about: states, or where a part of them is seen the values of the hidden part.
function believedIn(study, belief) {
  if (!belief) return [];
  return belief.length === study.states.length ? study.states : study.hidden;
}

function historyTable(table, study, steps) {
  const believed = believedIn(study, steps[0].belief);
  const head = ["step", "did and saw", ...believed.map((s) => "belief: " + s), ...study.actions.map((u) => "then: " + u)];
  const rows = steps.map((step, i) => [
    String(i),
    i ? step.action + (step.observation ? " → " + step.observation : "") : "at the start",
    ...believed.map((_, s) => percent(step.belief[s])),
    ...study.actions.map((u) => percent(step.policy[u])),
  ]);
  fillTable(table, "Belief, and probability of each next action", head, rows);
}

// names: of the agents; costs: the `occupancy` of each, or undefined.
function costsTable(table, names, plans) {
  const rows = [
    ["value at the start (as the agent expects)", "value"],
    ["utility of a decision, on average", "utility"],
    ["decision cost: nats between the policy and the action prior", "decision"],
    ["specification cost: nats between its weights of the worlds and the world weights", "specification"],
    ["surprise cost: nats between what it sees and the belief prior", "recognition"],
  ];
  fillTable(table, "In the long run, as the agent itself expects", ["quantity", ...names],
    rows.map(([words, key]) => [words, ...plans.map((p) => number(p.occupancy && p.occupancy[key]))]));
}

const AGENTS = { fitted: "this agent", without_bounds: "same model, no bounds", ideal_bayes: "Bayes-optimal agent", ideal_true: "knows the true world" };

function idealsTable(table, outcomes) {
  const measures = [["decisions", "decisions", number], ["before_end", "tests", number], ["wrong", "wrong", percent], ["utility", "utility", number]];
  const value = (agent, key) => outcomes.conduct[agent] && outcomes.conduct[agent][key] && outcomes.conduct[agent][key].mean;
  const known = (x) => typeof x === "number";
  const kept = measures.filter(([key]) => known(value("fitted", key)));
  const rows = Object.entries(AGENTS)
    .filter(([agent]) => kept.some(([key]) => known(value(agent, key))))
    .map(([agent, words]) => [words, ...kept.map(([key, , form]) => (known(value(agent, key)) ? form(value(agent, key)) : "–"))]);
  fillTable(table, "Means of an episode in the environment", ["agent", ...kept.map(([, words]) => words)], rows);
}

function apartTable(table, study, result) {
  const rows = result.histories.map((h) => [
    h.history.replace(/:/g, " → ").replace(/,/g, ", ") || "at the start",
    percent(h.share),
    ...study.actions.map((_, u) => percent(h.policy[u]) + " / " + percent(h.other[u])),
    number(h.nats_per_1000),
  ]);
  fillTable(table, "Histories at which the agents differ most: what each does next (first / second)",
    ["history", "reached in", ...study.actions, "nats per 1,000 logs"], rows);
}
