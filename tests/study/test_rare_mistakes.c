/* Mistakes in parts of a study that are used more rarely: columns of the logs, increments, ladders of worlds,
 * inverse planners. Each must be met with its place, what is wrong, and what to do. */
#include "mistakes.h"

/* Studies without mistakes: one whose agent observes, one whose agent sees the state. */
static const char hidden[] = "asif: 1\n"
                             "states: [a, b]\n"
                             "actions: [x, y]\n"
                             "observations: [n, p]\n"
                             "environment:\n"
                             "  start: [0.5, 0.5]\n"
                             "  transitions: {x: identity, y: reset}\n"
                             "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
                             "  ends: y\n"
                             "agent:\n"
                             "  discount: 0.9\n"
                             "  utility: {x: 0, y: {a: 1, b: gain}}\n"
                             "  parameters: {gain: -1, alpha: learn}\n"
                             "solver: {tol: 1e-9}\n"
                             "logs: {action: act, observation: seen}\n";
static const char seen[] = "asif: 1\n"
                           "states: 3\n"
                           "actions: [x, y]\n"
                           "environment:\n"
                           "  start: 0\n"
                           "  transitions: {x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]], y: reset}\n"
                           "agent:\n"
                           "  discount: 0.9\n"
                           "  utility: {x: 0, y: gain}\n"
                           "  parameters: {gain: -1, alpha: learn}\n"
                           "logs: {action: act, state: s}\n";

static const char crossed[] = "asif: 1\n"
                              "states: [a, b]\n"
                              "actions: [x, y]\n"
                              "observations: {hue: [red, blue], size: 3}\n"
                              "environment: {start: uniform, transitions: identity, emissions: uniform}\n"
                              "agent: {discount: 0.9, utility: {x: 0, y: 1}, parameters: {alpha: learn}}\n"
                              "logs: {observation: {hue: h, size: {column: s, cut: [1, 2]}}}\n";

#define WORDS "fifty bytes of words that go on and on and go on "

static const mistake mistakes[] = {
    /* YAML */
    {hidden, "asif: 1\n", "asif: 1\ntitle: a ^\x01\n", P, "a control character", "plain UTF-8"},
    {hidden, "asif: 1\n", "asif: 1\ntitle: \xc3\xa4 ^\xe4 b\n", P, "a character that is not UTF-8",
     "plain UTF-8"},
    {hidden, "asif: 1\n",
     "asif: 1\ntitle: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[^[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n", P,
     "more than 32 deep", NULL},
    {hidden, "asif: 1\n", "asif: 1\ntitle: !<tag^\n", P, "the text is not valid YAML", NULL},
    /* crossed observations */
    {crossed, "{hue: [red, blue], size: 3}", "^{}", I, "crossed from 1 to 16 columns, not from 0", NULL},
    {crossed, "hue: [red, blue]", "^any: [red, blue]", I, "cannot be called `any`", NULL},
    {crossed, "hue: [red, blue]", "^column: [red, blue]", I, "cannot be called `column`", NULL},
    {crossed, "hue: [red, blue]", "hue: [red, ^blue/green]", I, "a `/` in its label `blue/green`", "joins"},
    {crossed, "hue: [red, blue]", "hue: [red, ^red]", I, "the label `red` is given to two", NULL},
    {crossed, "hue: [red, blue]", "hue: ^{red: blue}", P, "must be a list of labels, not a mapping", NULL},
    {crossed, "{hue: [red, blue], size: 3}", "^{hue: 200, size: 300}", I, "more than 10000", NULL},
    {crossed, "hue: h, ", "^hue2: h, ", P, "no column of observations `hue2`", "did you mean `hue`?"},
    {crossed, "{hue: h, size: {", "^{size: {", P, "is named for the observations of `hue`", "hue: COLUMN"},
    {crossed, "size: {column: s, cut: [1, 2]}", "size: ^{column: s, cut: [1]}", I,
     "1 cut makes 2 classes, but `size` has 3", "labels: [...]"},
    {crossed, "cut: [1, 2]}", "labels: {small: ^3}}", I, "there is no class of `size`: `3`",
     "the numbers from 0 to 2"},
    {crossed, "hue: h,", "hue: {column: h, labels: {r: ^rad}},", I, "there is no class of `hue`: `rad`",
     "did you mean `red`?"},
    /* rules of the logs */
    {hidden, "action: act", "time: {column: t, ^steps: 6}", P, "unknown key `steps`", "did you mean `step`?"},
    {hidden, "action: act", "time: {column: t, step: ^0}", I, "`step` must be above 0, not 0",
     "between rows"},
    {hidden, "action: act", "time: {column: t, step: ^six}", P, "`step` must be a number, not `six`", NULL},
    {hidden, "action: act", "time: {column: t, step: ^[6]}", P, "`step` must be a number, not a list", NULL},
    {hidden, "action: act", "time: {column: t, off_grid: ^leave_out}", I, "needs the `step`", "step: 6"},
    {hidden, "action: act", "time: {column: t, step: 6, off_grid: ^leave}", P, "`off_grid` cannot be `leave`",
     NULL},
    {hidden, "action: act", "time: ^[]", P, "the list of columns is empty", NULL},
    {hidden, "action: act", "begin: ^soon", P, "`begin` must be a number, not `soon`", NULL},
    {hidden, "action: act", "require: ^{a: b}", P, "`require` must be a list of 1 to 10 texts", "[A, B]"},
    {hidden, "action: act", "require: [^[a]]", P, "`require` must be a list of texts", NULL},
    {hidden, "action: act", "missing_values: ^[]", P, "`missing_values` must be a list of 1 to 100 texts",
     NULL},
    {hidden, "action: act", "columns: ^[a]", P, "`columns` must be a mapping from 1 to 256 columns",
     "recode"},
    {hidden, "action: act", "columns: {x: ^3}", P, "the rules of the column `x` must be a mapping", "recode"},
    {hidden, "action: act", "columns: {x: {^recodes: {a: b}}}", P, "unknown key `recodes`",
     "did you mean `recode`?"},
    {hidden, "action: act", "columns: {x: {recode: ^[a, b]}}", P, "`recode` must be a mapping", "North"},
    {hidden, "action: act", "columns: {x: {recode: {a: ^\"\"}}}", P, "does not say what `a` means",
     "missing_values"},
    {hidden, "action: act", "columns: {x: {missing_values: ^[]}}", P, "a list of 1 to 1000 texts", NULL},
    {hidden, "action: act", "columns: {x: {range: ^[1]}}", P, "the least and the largest", "[0, 500]"},
    {hidden, "action: act", "columns: {x: {range: [0, ^many]}}", P, "`range` must be a number, not `many`",
     NULL},
    {hidden, "action: act", "columns: {x: {range: ^[2, 2]}}", I, "no number is between 2 and 2", "first"},
    {hidden, "action: act", "columns: {x: {outside: ^missing}}", I, "`outside` needs the `range`",
     "[0, 500]"},
    {hidden, "action: act", "columns: {x: {range: [0, 1], outside: ^drop}}", P, "`outside` cannot be `drop`",
     "`error` or `missing`"},
    {hidden, "action: act", "columns: {x: {date: ^\"%d.%m\"}}", P, "it needs a year, a month and a day",
     "%d.%m.%Y"},
    {hidden, "action: act", "columns: {x: {date: ^\"%d.%m.%Y %q\"}}", P, "it can have %Y, %y", NULL},
    {hidden, "action: act", "columns: {x: {date: ^\"%d.%m.%Y %y\"}}", P, "each part of a date may occur once",
     NULL},
    {hidden, "action: act", "columns: {x: {date: ^\"%d.%m.%Y %M\"}}", P, "not the larger one", NULL},
    {hidden, "action: act", "columns: {x: {date: ^[a]}}", P, "`date` must be the form of the column's dates",
     NULL},
    {hidden, "action: act", "columns: {x: {date: \"%d.%m.%Y\", range: ^[0, 1]}}", I, "has no `range`", NULL},
    {hidden, "action: act", "decimal: ^;", P, "`decimal` cannot be `;`", NULL},
    {hidden, "action: act", "groups: ^[a]", P, "`groups` must be a mapping", "AGE > 75"},
    {hidden, "action: act", "groups: {old: ^AGE}", P, "the group `old` must compare", "COLUMN > NUMBER"},
    {hidden, "action: act", "groups: {old: ^AGE >}", P, "the group `old` lacks its value", NULL},
    {hidden, "action: act", "groups: {old: ^\" > 75\"}", P, "the group `old` lacks its column", NULL},
    {hidden, "action: act", "groups: {old: ^AGE > old}", I, "`old` is not a number", "= and !="},
    {hidden, "action: act", "label: {column: d, labels: {1: ^c}}", I, "there is no state `c`", NULL},
    {hidden, "action: act", "label: ^[a, b]", P, "several columns cannot make one label", NULL},
    {hidden, "action: act", "action: {column: act, present: ^z, missing: y}", I, "there is no action `z`",
     NULL},
    {hidden, "action: act", "action: {column: act, present: x, missing: ^z}", I, "there is no action `z`",
     NULL},
    {hidden, "action: act", "action: {column: act, cut: [1], present: ^x}", I, "gives all cells", "`cut`"},
    {hidden, "observation: seen", "observation: {column: seen, cut: ^mean + 1 sd}", P,
     "`cut` must be a number", "mean +- 0.5 sd"},
    {crossed, "{column: s, cut: [1, 2]}", "^{column: s, cut: [1, 2], missing: 2}", I,
     "one of them for missing cells", "labels: [...]"},
    {hidden, "action: act", "action: {column: act, missing: ^unrecorded}", ASIF_EUNSUPPORTED,
     "only observations can be `unrecorded`", "drop_episode"},
    /* columns of the logs */
    {hidden, "observation: seen", "observation: {column: seen, labels: {1: ^[n]}}", P,
     "a label must be a single value, not a list", NULL},
    {hidden, "observation: seen", "observation: {column: seen, labels: {1: ^nn}}", I,
     "there is no observation `nn`", "the observations are `n`, `p`"},
    {seen, "state: s", "state: {column: s, labels: {low: ^7}}", I, "there is no state `7`",
     "the numbers from 0 to 2"},
    {hidden, "action: act", "action: {column: ^[act]}", P, "must be named by a single word",
     "write its name"},
    {hidden, "observation: seen", "observation: {column: seen, cut: ^[]}", P,
     "`cut` must be a list of numbers, not an empty one", "[0.5, 4.5]"},
    {hidden, "observation: seen", "observation: {column: seen, cut: ^{a: 1}}", P,
     "`cut` must be a list of numbers, not a mapping", NULL},
    {hidden, "observation: seen", "observation: {column: seen, cut: [^high]}", P,
     "`cut` must be a number, not `high`", NULL},
    {hidden, "observation: seen", "observation: {column: seen, cut: [^\"0,5\"]}", P, "`cut` must be a number",
     "write decimals with a point"},
    {hidden, "observation: seen", "observation: {column: seen, cut: [^[1]]}", P,
     "`cut` must be a number, not a list", NULL},
    {hidden, "observation: seen", "observation: {column: seen, cut: 1, labels: ^{a: n}}", P,
     "must be a list of the classes' names, not a mapping", "[low, middle, high]"},
    {hidden, "observation: seen", "observation: {column: seen, cut: 1, labels: ^[n]}", I,
     "1 cuts make 2 classes, but there are 1 names", NULL},
    {hidden, "observation: seen", "observation: {column: seen, cut: 1, labels: [n, ^n]}", I,
     "`n` is the name of two classes", "leave out the cut"},
    {hidden, "observation: seen", "observation: {column: seen, cut: 1, labels: [n, ^q]}", I,
     "there is no observation `q`", "the observations are"},
    {hidden, "observation: seen", "observation: {column: seen, labels: ^[n]}", P,
     "`labels` must be a mapping", "{0: skip, 1: scan}"},
    {hidden, "observation: seen", "observation: {column: seen, labels: ^{}}", P, "not an empty one", NULL},
    {hidden, "observation: seen", "observation: {^colum: seen}", P, "unknown key `colum` in `logs`",
     "did you mean `column`?"},
    {hidden, "observation: seen", "observation: {^zebra: seen}", P, "unknown key `zebra`",
     "the keys here are `column`"},
    {hidden, "observation: seen", "observation: ^[]", P, "the list of columns is empty", NULL},
    {hidden, "action: act", "action: ^[act, other]", P, NULL, "make one column of them before"},
    {hidden, "action: act", "action: act, missing: ^[a]", P, "`missing` must be a single value, not a list",
     NULL},
    {hidden, "action: act", "action: act, missing: ^drop_rows", P, "drop_rows", "did you mean `drop_row`?"},
    /* spaces */
    {hidden, "states: [a, b]", "states: ^[]", I, "there must be at least one state", NULL},
    {hidden, "states: [a, b]", "states: ^{a: 1}", P, "`states` must be a list of labels, not a mapping",
     "[a, b]"},
    /* the environment */
    {hidden, "  start: [0.5, 0.5]", "  start: [0.5, 0.5]\n  reward_model: ^cost", I,
     "`reward_model` is for an `mdp` file", NULL},
    {hidden, "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: [^half, [0.3, 0.7]]", P,
     "must be a list, not `half`", "each in brackets"},
    {hidden,
     "observations: [n, p]\nenvironment:\n  start: [0.5, 0.5]\n  transitions: {x: identity, y: reset}\n"
     "  emissions: [[0.7, 0.3], [0.3, 0.7]]",
     "observations: [n, p, q]\nenvironment:\n  start: [0.5, 0.5]\n  emissions: ^{sensitivity: 0.8, "
     "specificity: 0.9}",
     I, "a test with 2 results for 2 states, but there are 2 states and 3 observations", "as a matrix"},
    {hidden,
     "observations: [n, p]\nenvironment:\n  start: [0.5, 0.5]\n  transitions: {x: identity, y: reset}\n"
     "  emissions: [[0.7, 0.3], [0.3, 0.7]]",
     "observations: [n, p, q]\nenvironment:\n  start: [0.5, 0.5]\n  emissions: ^identity", I,
     "cannot be `identity`: there are 2 states but 3 observations", NULL},
    {hidden, "asif: 1\n", "asif: 1\ninverse: {name: ^multiple-experimentation, environments: {one: {}}}\n", I,
     "it needs states that are seen", "`asif list pairs`"},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: multiple-experimentation, environments: ^[a]}\n", P, NULL,
     "`environments: {LABEL: {transitions: ...}, ...}`"},
    /* what is learnt of transitions, and increments */
    {hidden, "x: identity", "x: {increments: ^learn 0 to 1}", I,
     "can be learnt only where the agent sees the state", "leave `observations` out"},
    {hidden, "x: identity", "x: ^learn twice", P, "cannot be read", "`learn shared`"},
    {seen, "  discount: 0.9\n", "  discount: 0.9\n  worlds: [{transitions: {x: ^learn}}]\n", I,
     "of a world that the agent believes in cannot be learnt", "what logs tell is the environment"},
    {seen, "y: reset}\n", "y: ^learn}\n  ends: y\n", I, "`y` ends an episode", "`y: reset`"},
    {seen, "{x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]], y: reset}", "{any: ^learn}", I,
     "does not say whether the actions share their transitions", "`x: learn`"},
    {seen, "  start: 0\n", "  start: 0\n  increments: ^[0.4, 0.6]\n", P, NULL, "{NAME: [0.4, 0.6]}"},
    {seen, "  start: 0\n  transitions: {x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]",
     "  start: 0\n  increments: {step: [0.4, 0.6]}\n  transitions: {x: {increments: ^stp}", I,
     "there are no increments `stp`", "did you mean `step`?"},
    {seen, "x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]", "x: {increments: ^wear}", I,
     "there are no increments `wear`", "increments: {wear: [0.4, 0.6]}"},
    {seen, "x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]", "x: {increments: ^learn some}", P,
     "does not say which increments are possible", "`learn 0 to 2`"},
    {seen, "x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]", "x: {increments: {^half: 0.5}}", I,
     "an increment must be a whole number of states, not `half`", "there are 3 states"},
    {seen, "x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]", "x: {increments: ^[]}", P,
     "increments must be a list of probabilities", "[0.35, 0.64, 0.01]"},
    /* parameters and utility */
    {hidden, "alpha: learn", "alpha: ^-inf", I, "cannot be -inf", "follows its action prior"},
    {hidden, "alpha: learn", "alpha: ^-0", I, "cannot be -0", "always takes the best action"},
    {hidden, "alpha: learn", "alpha: 1, beta: ^-inf", I, "cannot be -inf", "neutral"},
    {hidden, "gain: -1", "gain: ^inf", I, "must be finite", "a large number"},
    {hidden, "gain: -1", "gain: {learn: ^[3]}", P, "`learn` takes a prior", NULL},
    {hidden, "gain: -1", "gain: {learn: \"normal(0, 1)\", standard: ^inf}", I, "`standard` must be finite",
     NULL},
    {hidden, "gain: -1", "gain: {^lern: \"normal(0, 1)\"}", P, "lern", "did you mean `learn`?"},
    {hidden, "gain: -1", "gain: ^{standard: 1}", P, "has neither a number nor `learn`",
     "{learn: normal(-36, 23), standard: -36}"},
    {hidden, "utility: {x: 0, y: {a: 1, b: gain}}", "utility: [^0, 1]", P, NULL, "what each action is worth"},
    {hidden, "y: {a: 1, b: gain}", "y: ^gain * state", I, "needs states that are numbers", "{a: ..., ...}"},
    /* worlds */
    {hidden, "  discount: 0.9\n", "  discount: 0.9\n  worlds: ^[]\n", I, "`worlds` is an empty list",
     "leave `worlds` out"},
    {hidden, "  discount: 0.9\n", "  discount: 0.9\n  worlds: ^{around: environment}\n", P,
     "the ladder has no steps", "{around: environment"},
    {hidden, "  discount: 0.9\n", "  discount: 0.9\n  worlds: {around: environment, emissions: [^2]}\n", I,
     "a shift must be between -1 and 1", NULL},
    {hidden, "  discount: 0.9\n", "  discount: 0.9\n  worlds: {around: environment, emissions: ^{a: 1}}\n", P,
     "must be a list of shifts", "[-0.1, 0, 0.1]"},
    /* labels, a caveat, a population */
    {seen, "asif: 1\n", "asif: 1\nlabels: {observations: ^{n: none}}\n", I,
     "no observations to give labels to", NULL},
    {hidden, "asif: 1\n", "asif: 1\nlabels: {parameters: {gain: ^alpha}}\n", I,
     "`alpha` is also the name of another parameter", NULL},
    {hidden, "asif: 1\n", "asif: 1\nlabels: {actions: ^[x]}\n", P, "labels must be a mapping", NULL},
    {hidden, "asif: 1\n",
     "asif: 1\ncaveat: ^" WORDS WORDS WORDS WORDS WORDS WORDS WORDS WORDS WORDS WORDS "\n", I,
     "`caveat` is longer than 480 bytes", "a sentence or two"},
    {hidden, "asif: 1\n", "asif: 1\npopulation: ^[alpha]\n", P, "`population` must be a mapping", NULL},
    {hidden, "asif: 1\n", "asif: 1\npopulation: {alpha: ^[age]}\n", P, "a formula of `population` must be",
     NULL},
    {hidden, "asif: 1\n", "asif: 1\npopulation: {alpha: ^~ age +}\n", P, "lacks a column", "`~ age + site`"},
    /* how episodes begin and end where the state is seen */
    {seen, "  start: 0\n", "  start: ^learn\n", I, "start cannot be estimated: it is the world as it is",
     "`start: learn` under `agent`"},
    {seen, "  discount: 0.9\n", "  discount: 0.9\n  start: ^learn\n", I,
     "cannot be estimated: the agent sees the state", "before it looks"},
    {seen, "  start: 0\n", "  start: 0\n  horizon: ^5\n", I, "`horizon` needs `observations`", "`terminal`"},
    {seen, "  start: 0\n", "  start: 0\n  horizon: ^soon\n", P, "`horizon` must be a number", NULL},
    {seen, "y: reset", "y: ^terminal", I, "only where there are `observations`", "under `terminal`"},
    {seen, "[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]", "[0.5, 0.5, 0], ^[0, 0.5, 0.6], [0, 0, 1]", I,
     "the row of `1` in transitions of `x` sums to 1.1", "must sum to 1"},
    {seen, "x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]", "x: {^7: uniform, any: uniform}", I,
     "there is no state `7`", "the numbers from 0 to 2"},
    {seen, "x: [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]]", "x: ^{0: uniform}", I,
     "has no row for the state `1`", "`any`"},
    {seen, "utility: {x: 0, y: gain}", "utility: [{x: 0, y: gain}, ^{when: certainty > 0.9, add: 1}]", I,
     "a utility by belief, but the agent sees the state", "give the utility by state"},
    {seen, "utility: {x: 0, y: gain}", "utility: [{x: 0, y: gain}, ^{on: observation, n: 1}]", I,
     "a utility by observation, but there are no `observations`", "by action and state"},
    {hidden, "utility: {x: 0, y: {a: 1, b: gain}}",
     "utility: [{x: 0, y: gain}, {when: ^[certainty], add: 1}]", P, "`when` must be", NULL},
    /* emissions by column */
    {crossed, "emissions: uniform", "emissions: ^{hue: uniform}", I, "lack the column `size`",
     "a table for every column"},
    {crossed, "emissions: uniform", "emissions: {hue: ^{x: uniform}, size: uniform}", I,
     "lacks the action `y`", "`any`"},
    {crossed, "emissions: uniform", "emissions: {hue: ^green, size: uniform}", I, NULL, NULL},
    {crossed, "emissions: uniform", "emissions: {hue: ^learn except green, size: uniform}", I,
     "`green` is not a class of this column", "`learn except LABEL and LABEL`"},
    /* several environments, and presets */
    {seen, "asif: 1\n", "asif: 1\ninverse: ^multiple-experimentation\n", P, "needs several environments",
     "`environments: {LABEL: {transitions: ...}, ...}`"},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: multiple-experimentation, environments: ^{}}\n", I,
     "`environments` names none", "`environment: COLUMN`"},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: maximum-margin, environments: ^{one: }}\n", I,
     "`environments` are for `multiple-experimentation`, not for `maximum-margin`", NULL},
    {seen, "asif: 1\n",
     "asif: 1\ninverse: {name: multiple-experimentation, environments: {one: {^transition: reset}}}\n", P,
     "unknown key `transition`", "did you mean `transitions`?"},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: maximum-margin, weight: ^0}\n", I,
     "`weight` must be a number above 0", NULL},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: maximum-margin, margin: ^-1}\n", I,
     "`margin` must be a number not below 0", NULL},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: maximum-margin, p: ^3}\n", P, "`p` cannot be `3`", NULL},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: maximum-margin, variant: ^russell}\n", P,
     "`variant` cannot be `russell`", NULL},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: maximum-margin, score: ^[a]}\n", P,
     "the name of a column must be", NULL},
    {seen, "asif: 1\n", "asif: 1\ninverse: ^[a]\n", P, "`inverse` must be", NULL},
    /* solver and inverse planner */
    {hidden, "tol: 1e-9", "time_limit: ^soon", P, NULL, "give seconds"},
    {hidden, "tol: 1e-9", "time_limit: ^-1", I, "`time_limit` must be a number of seconds", "0 is no limit"},
    {hidden, "tol: 1e-9", "method: ^guess", P, "guess", NULL},
    {hidden, "tol: 1e-9", "samples: ^0", I, "`samples`", NULL},
    {hidden, "tol: 1e-9", "seed: ^-1", I, "`seed`", NULL},
    {hidden, "tol: 1e-9", "unrolled: ^1.5", I, "`unrolled`", NULL},
    {hidden, "tol: 1e-9", "hidden: ^5000", I, "`hidden`", NULL},
    {hidden, "asif: 1\n", "asif: 1\ninverse: ^{entropy: 1}\n", P, "`inverse` has no `name`",
     "{name: distribution-matching, ...}"},
    {hidden, "asif: 1\n", "asif: 1\ninverse: {name: ^distribution-machting}\n", I,
     "there is no inverse planner `distribution-machting`", "did you mean `distribution-matching`?"},
    {hidden, "asif: 1\n", "asif: 1\ninverse: {name: distribution-matching, divergence: ^kll}\n", P, "kll",
     NULL},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: distribution-matching, entropy: ^-1}\n", I,
     "`entropy` must be a number not below 0", NULL},
    {seen, "asif: 1\n", "asif: 1\ninverse: {name: distribution-matching, horizon: ^1.5}\n", I,
     "`horizon` must be a whole number of decisions", NULL},
};

static void test_mistakes(void **state) {
    (void)state;
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
}

static void test_the_studies_are_good(void **state) {
    (void)state;
    check_good(hidden);
    check_good(seen);
    check_good(crossed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_studies_are_good),
                                       cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
