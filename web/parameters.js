"use strict";
// Parameters as sliders: their names for readers, their ranges, and the values between which the handle moves.

const WORDS = {
  alpha: ["Choice randomness (alpha)", "0: always the best action"],
  act_alpha: ["Choice randomness when acting (act_alpha)", ""],
  optimism: ["Optimism (1/beta)", "above 0: counts on the better world; below 0: on the worse one"],
  eta: ["Taste for surprise (eta)", "above 0: observations that are hard to predict are worth more"],
  discount: ["Discount", "1 - discount: the probability that nothing follows"],
  lapse: ["Lapses", "share of decisions that are made at random"],
};

// The numbers of a prior such as "normal(0, 46)"; null: another form.
function priorNumbers(prior) {
  const found = /^(lognormal|normal)\(([^,]+), ([^)]+)\)$/.exec(prior || "");
  return found && { kind: found[1], mean: Number(found[2]), sd: Number(found[3]) };
}

// One parameter: name, words, value, least and most, the step, and whether the slider is logarithmic.
function parameter(name, value, prior) {
  const numbers = priorNumbers(prior);
  const [label, help] = WORDS[name] || [name.replace(/_/g, " "), ""];
  const made = { name, label, help, value, logarithmic: false };
  if (name === "alpha" || name === "act_alpha") {
    const middle = numbers && numbers.kind === "lognormal" ? Math.exp(numbers.mean) : value || 0.5;
    return { ...made, value: value ?? round(middle), least: middle / 100, most: middle * 100, logarithmic: true };
  }
  if (name === "discount") return { ...made, least: 0.5, most: 0.99, step: 0.005 };
  if (name === "lapse") return { ...made, least: 0, most: 0.5, step: 0.005 };
  const mean = numbers && numbers.kind === "normal" ? numbers.mean : (value ?? 0);
  const reach = numbers && numbers.kind === "normal" ? 2.5 * numbers.sd : Math.max(2 * Math.abs(mean), 1);
  return { ...made, value: value ?? mean, least: round(mean - reach), most: round(mean + reach), step: round((2 * reach) / 500) };
}

function round(x) {
  return Number(x.toPrecision(3));
}

// All parameters of an opened study, those that it marks `learn` first.
function parametersOf(study) {
  const named = (name) => (name === "beta" ? "optimism" : name);
  const learnt = study.estimated.filter((name) => !["action_prior", "world_weights", "start", "means"].includes(name));
  const out = learnt.map((name) => ({ ...parameter(named(name), undefined, study.priors[name]), learnt: true }));
  for (const [name, value] of Object.entries(study.given)) {
    const number = value === "inf" ? Infinity : Number(value);
    out.push({ ...parameter(named(name), name === "beta" ? 1 / number : number, null), learnt: false });
  }
  return out;
}

const STEPS = 1000; // of a logarithmic slider; its left end is 0

function toSlider(p, value) {
  if (!p.logarithmic) return value;
  return value <= 0 ? 0 : Math.max(1, Math.round((STEPS * Math.log(value / p.least)) / Math.log(p.most / p.least)));
}

function fromSlider(p, position) {
  if (!p.logarithmic) return position;
  return position <= 0 ? 0 : round(p.least * (p.most / p.least) ** (position / STEPS));
}
