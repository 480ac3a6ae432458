"use strict";
// The library's functions for this page, for the worker and for the tests: texts in, objects out. `wasm` is the module's bytes.
// A call that fails returns {error: {message, hint, line}, problems}.
// eslint-disable-next-line no-unused-vars
async function makeEngine(wasm, progress) {
  const asif = await asifModule({ wasmBinary: wasm, progress });

  // Call a function with numbers, texts and arrays of numbers; what was copied for it is freed afterwards.
  function call(name, ...args) {
    const held = [];
    const pass = (value) => {
      if (typeof value === "number") return value;
      const bytes = typeof value === "string" ? asif.lengthBytesUTF8(value) + 1 : 8 * value.length || 8;
      const at = asif._malloc(bytes);
      if (!at) throw new Error("out of memory");
      held.push(at);
      if (typeof value === "string") asif.stringToUTF8(value, at, bytes);
      else asif.HEAPF64.set(value, at / 8);
      return at;
    };
    const result = asif["_explorer_" + name](...args.map(pass));
    held.forEach((at) => asif._free(at));
    return result;
  }
  const text = (...args) => asif.UTF8ToString(call(...args));
  const object = (...args) => JSON.parse(text(...args));
  const lines = (values) => Object.entries(values).map(([name, value]) => name + "=" + (value === Infinity ? "inf" : value)).join("\n");

  return {
    // {resolution, study, problems}
    open(study) {
      const opened = object("open", study);
      for (const problem of [opened.error, ...opened.problems].filter(Boolean))
        if (problem.message.endsWith("No such file or directory")) problem.hint = "a study on this page cannot name other files: write into it what they say";
      return opened;
    },
    // The agent `which` (0 or 1), as `asif plan --json` reports it. history: "ACTION:OBSERVATION,..."; beliefs: one after another.
    solve: (which, values, resolution, history, beliefs = [], states = 1) =>
      object("solve", which, lines(values), resolution, history, beliefs, Math.floor(beliefs.length / states)),
    // {policy: [points * actions], value: [points]} over a grid of beliefs in two or three states; null: there is no such grid.
    grid(which, intervals, states, actions) {
      const at = call("grid", which, intervals) / 8;
      if (!at) return null;
      const points = states === 2 ? intervals + 1 : ((intervals + 1) * (intervals + 2)) / 2;
      return { policy: asif.HEAPF64.slice(at, at + points * actions), value: asif.HEAPF64.slice(at + points * actions, at + points * (actions + 1)) };
    },
    outcomes: (which, episodes) => object("outcomes", which, episodes),
    apart: (episodes) => object("apart", episodes),
    // Texts for people, or {error}.
    count: (table) => words(text("count", table)),
    simulate: (which, episodes) => words(text("simulate", which, episodes)),
    fit: (table) => text("fit", table),
    summary: (fit) => words(text("summary", fit)),
  };

  function words(answer) {
    return answer.startsWith('{"error"') ? JSON.parse(answer) : { text: answer };
  }
}
