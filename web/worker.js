"use strict";
// The half of the page that may take long: it answers {id, does, with} by {id, answer}, and reports the progress of a fit.
let engine = null;

onmessage = async ({ data: { id, does, with: given } }) => {
  try {
    const answer = await tasks[does](given);
    postMessage({ id, answer });
  } catch (error) {
    postMessage({ id, answer: { error: { message: String(error.message || error), hint: "" } } });
  }
};

function solve(which, { values, resolution }) {
  const answer = engine.solve(which, values, resolution, "");
  if (answer.error) throw new Error(answer.error.message);
}

const tasks = {
  begin: async (wasm) => {
    engine = await makeEngine(wasm, (what, done) => postMessage({ what, done }));
    return {};
  },
  open: (text) => engine.open(text),
  outcomes(agent) {
    solve(0, agent);
    return engine.outcomes(0, 2000);
  },
  apart({ agents, episodes }) {
    agents.forEach((agent, i) => solve(i, agent));
    return engine.apart(episodes);
  },
  simulate(agent) {
    solve(0, agent);
    return engine.simulate(0, 1000);
  },
  count: (table) => engine.count(table),
  fit(table) {
    const fit = engine.fit(table);
    return fit.startsWith('{"error"') ? JSON.parse(fit) : { fit, summary: engine.summary(fit).text };
  },
};
