/* Mistakes that people make in study files: each must be met with its place, what is wrong, and what to do.
 */
#include "asif.h"
#include "check.h"

#include <string.h>

/* A study without mistakes; every row of the table puts one in. */
static const char good[] = "asif: 1\n"
                           "title: Diagnosis\n"
                           "states:       [healthy, diseased]\n"
                           "actions:      [declare_healthy, declare_diseased, monitor]\n"
                           "observations: [negative, positive]\n"
                           "environment:\n"
                           "  start: [0.5, 0.5]\n"
                           "  transitions:\n"
                           "    monitor: identity\n"
                           "    any: reset\n"
                           "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
                           "  ends: [declare_healthy, declare_diseased]\n"
                           "agent:\n"
                           "  planner: bounded-rational\n"
                           "  discount: 0.95\n"
                           "  worlds:\n"
                           "    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n"
                           "    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n"
                           "  utility:\n"
                           "    declare_healthy:  {healthy: correct, diseased: wrong}\n"
                           "    declare_diseased: {healthy: wrong, diseased: correct}\n"
                           "    monitor: cost\n"
                           "  parameters:\n"
                           "    correct: 10\n"
                           "    wrong: -36\n"
                           "    cost: -1\n"
                           "    alpha: learn\n"
                           "    beta: learn\n"
                           "    eta: learn\n"
                           "solver: {resolution: 100, tol: 1e-12}\n"
                           "logs: {episode: episode, time: t, action: action, observation: observation}\n";

/* In `good`, `instead` stands for `of`; a ^ in it marks the place that must be named. */
typedef struct {
    const char *name, *of, *instead;
    asif_status status;
    const char *message, *hint; /* parts of them; hint NULL: there need be none */
} mistake;

#define P ASIF_EPARSE
#define I ASIF_EINVALID
static const mistake mistakes[] = {
    /* YAML itself */
    {"empty file", NULL, "^", P, "the file is empty", NULL},
    {"tab in the indentation", "  start: [0.5, 0.5]", "^\tstart: [0.5, 0.5]", P, "a tab in the indentation",
     "spaces"},
    {"bracket not closed", "emissions: [[0.7, 0.3], [0.3, 0.7]]",
     "emissions: [[0.7, 0.3], [0.3, 0.7]\n  ^ends: x", P,
     "a list is not closed (it begins in line 11, column 14)", "missing `]`"},
    {"brace not closed", "{healthy: correct, diseased: wrong}",
     "{healthy: correct, diseased: wrong\n    monitor^: cost", P, "a mapping in braces is not closed",
     "missing `}`"},
    {"key twice", "    cost: -1\n", "    cost: -1\n    ^wrong: -30\n", P,
     "`wrong` is given twice (first in line 25)", "remove one"},
    {"colon without space", "  planner: bounded-rational", "  planner:bounded-rational\n  discount^: 0.9", P,
     "a `:` where no key can be", "a space after the colon of the line before"},
    {"indentation that fits nothing", "    wrong: -36", "   ^wrong: -36", P, "does not fit the mapping",
     "indentation"},
    {"second document", "title: Diagnosis\n", "title: Diagnosis\n^---\n", P, "a second document", "---"},
    {"quote not closed", "title: Diagnosis\n", "title: 'Diagnosis\n", P, "a text in quotes is not closed",
     "quote"},
    {"text that begins with a per cent sign", "title: Diagnosis\n", "title: ^%done\n", P,
     "cannot begin with `%`", "quotes"},
    {"alias of nothing", "[[0.6, 0.4], [0.4, 0.6]]", "^*usual", P, "`*usual` refers to nothing", "quotes"},
    {"colon inside a title", "title: Diagnosis\n", "title: Diagnosis^: a study\n", P,
     "a `:` where no key can be", "quotes"},
    {"not a mapping at all", NULL, "^just some words\n", P, "a study must be a mapping, not a single value",
     NULL},

    /* the top */
    {"no version", "asif: 1\n", "^", P, "`asif` is missing", "begin the file with `asif: 1`"},
    {"another version", "asif: 1\n", "asif: ^2\n", I, "`asif: 2`", "write `asif: 1`"},
    {"misspelt section", "environment:", "^enviroment:", P, "unknown key `enviroment`",
     "did you mean `environment`?"},
    {"misspelt key of the environment", "  emissions: [[0.7,", "  ^emission: [[0.7,", P,
     "unknown key `emission` in `environment`", "did you mean `emissions`?"},
    {"key of the agent at the top", "title: Diagnosis\n", "^discount: 0.9\n", P, "unknown key `discount`",
     "`discount` belongs under agent"},
    {"alpha at the top", "title: Diagnosis\n", "^alpha: 0.9\n", P, "unknown key `alpha`",
     "`alpha` belongs under agent: parameters"},
    {"unknown key with no neighbour", "title: Diagnosis\n", "^zebra: 1\n", P, "unknown key `zebra`",
     "the keys here are `asif`, `title`"},

    /* spaces */
    {"label twice", "[healthy, diseased]\nact", "[healthy, ^healthy]\nact", I,
     "`healthy` is given to two states", NULL},
    {"states without brackets", "[healthy, diseased]\nact", "^healthy diseased\nact", P,
     "`states` must be a list of labels or their number", "brackets"},
    {"no states", "[healthy, diseased]\nact", "^0\nact", I, "must be a whole number from 1 on, not 0", NULL},
    {"half a state", "[healthy, diseased]\nact", "^2.5\nact", I, "must be a whole number from 1 on, not 2.5",
     NULL},
    {"empty list of actions", "[declare_healthy, declare_diseased, monitor]", "^[]", I, "at least one action",
     NULL},
    {"empty list of observations", "[negative, positive]", "^[]", I, "at least one observation",
     "leave `observations` out"},
    {"an action called any", "declare_diseased, monitor]", "declare_diseased, ^any]", I,
     "`any` cannot be the label of an action", "not named"},
    {"nested label", "[negative, positive]", "[negative, ^[positive]]", P,
     "a label must be a single value, not a list", NULL},
    {"empty label", "[negative, positive]", "[negative, ^'']", I, "a label of an observation is empty", NULL},
    {"too many states", "[healthy, diseased]\nact", "^10000000\nact", I, "too many for a study file", "mdp"},

    /* environment */
    {"probabilities in per cent", "start: [0.5, 0.5]", "start: [^50 %, 50 %]", P,
     "must be a number, not `50 %`", "70 % is 0.7"},
    {"probabilities above 1", "start: [0.5, 0.5]", "start: [^50, 50]", I, "must be a probability, not 50",
     "70 % is 0.7"},
    {"decimal commas", "start: [0.5, 0.5]", "start: ^[0,5, 0,5]", I,
     "start has 4 numbers, but there are 2 states", "decimals with a point"},
    {"decimal comma in a parameter", "alpha: learn", "alpha: ^0,5", P, "`alpha` must be a number, not `0,5`",
     "decimals with a point"},
    {"a fraction", "start: [0.5, 0.5]", "start: [^1/2, 1/2]", P, "must be a number, not `1/2`",
     "1/4 is 0.25"},
    {"start that does not sum to 1", "start: [0.5, 0.5]", "start: ^[0.5, 0.6]", I, "start sums to 1.1, not 1",
     "sum to 1"},
    {"start of an unknown state", "start: [0.5, 0.5]", "start: ^helthy", I, "there is no state `helthy`",
     "did you mean `healthy`?"},
    {"start a single number", "start: [0.5, 0.5]", "start: ^0.5", P, "start is a single number, `0.5`",
     "a list"},
    {"row that does not sum to 1", "emissions: [[0.7, 0.3], [0.3, 0.7]]",
     "emissions: [[0.7, 0.3], ^[0.3, 0.6]]", I, "the row of `diseased` in emissions sums to 0.9, not 1",
     "sum to 1"},
    {"row too short", "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: [[0.7, 0.3], ^[0.3]]", I,
     "the row of `diseased` in emissions has 1 number, but there are 2 observations",
     "`negative` or `positive`"},
    {"row missing", "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: ^[[0.7, 0.3]]", I,
     "emissions has 1 row, but there are 2 states", "one row for each"},
    {"matrix without inner brackets", "emissions: [[0.7, 0.3], [0.3, 0.7]]",
     "emissions: ^[0.7, 0.3, 0.3, 0.7]", I, "emissions has 4 rows, but there are 2 states",
     "each in brackets"},
    {"negative probability", "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: [[^-0.3, 1.3], [0.3, 0.7]]",
     I, "must be a probability, not -0.3", "between 0 and 1"},
    {"number in quotes", "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: [[^'0.7', 0.3], [0.3, 0.7]]", P,
     "must be a number, not `0.7`", "remove the quotes"},
    {"unknown action in transitions", "    monitor: identity", "    ^monitr: identity", I,
     "there is no action `monitr`", "did you mean `monitor`?"},
    {"unknown word for a matrix", "    monitor: identity", "    monitor: ^identify", P,
     "transitions of `monitor` cannot be `identify`", "did you mean `identity`?"},
    {"reset as emissions", "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: ^reset", P,
     "emissions cannot be `reset`", NULL},
    {"no emissions", "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n", "", I, "the environment has no `emissions`",
     "probabilities of the observations"},
    {"emissions of one action missing", "emissions: [[0.7, 0.3], [0.3, 0.7]]",
     "emissions: ^{monitor: [[0.7, 0.3], [0.3, 0.7]]}", I,
     "emissions of the action `declare_healthy` are missing", "`any`"},
    {"row of a state missing", "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: ^{healthy: [0.7, 0.3]}", I,
     "emissions has no row for the state `diseased`", "`any`"},
    {"sensitivity without specificity", "emissions: [[0.7, 0.3], [0.3, 0.7]]",
     "emissions: ^{sensitivity: 0.7}", P, "`specificity` is missing", NULL},
    {"sensitivity in per cent", "emissions: [[0.7, 0.3], [0.3, 0.7]]",
     "emissions: {sensitivity: ^70, specificity: 0.7}", I, "sensitivity must be a probability, not 70",
     "70 % is 0.7"},
    {"ends with an unknown action", "ends: [declare_healthy, declare_diseased]",
     "ends: [declare_healthy, ^declare_sick]", I, "there is no action `declare_sick`", "the actions are"},
    {"ends twice", "ends: [declare_healthy, declare_diseased]", "ends: [declare_healthy, ^declare_healthy]",
     I, "`declare_healthy` stands twice in `ends`", NULL},
    {"terminal states that are not seen", "  ends: [declare_healthy, declare_diseased]",
     "  terminal: ^[diseased]", I, "only where the agent sees the state", "`ends`"},
    {"emissions without observations", "observations: [negative, positive]\n", "", I,
     "`emissions` without `observations`", "list the `observations`"},
    {"start by class without reset", "start: [0.5, 0.5]",
     "start: ^{by: risk, low: [0.9, 0.1], high: [0.5, 0.5]}", I,
     "`start` is by `risk`, so `reset` does not know what to draw from", "the mixture of the classes"},
    {"start by class without classes", "start: [0.5, 0.5]", "start: ^{by: risk}", P,
     "start by `risk` names no class", "CLASS"},
    {"a file and spaces", "  start: [0.5, 0.5]", "  pomdp: ^tiger.pomdp", I, "this study is not a file",
     "folder"},

    /* agent */
    {"misspelt planner", "planner: bounded-rational", "planner: ^bounded-ratonal", P,
     "`planner` cannot be `bounded-ratonal`", "did you mean `bounded-rational`?"},
    {"alpha directly under the agent", "  discount: 0.95", "  discount: 0.95\n  ^alpha: 0.5", P,
     "unknown key `alpha` in `agent`", "`alpha` belongs under agent: parameters"},
    {"gamma instead of discount", "  discount: 0.95", "  ^gamma: 0.95", P, "unknown key `gamma` in `agent`",
     "`discount`"},
    {"no discount", "  discount: 0.95\n", "", I, "the agent has no `discount`", "discount: 0.95"},
    {"discount of 1", "discount: 0.95", "discount: ^1", I,
     "`discount` must be at least 0 and below 1, but it is 1", "0.99"},
    {"worlds without dashes",
     "  worlds:\n    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n",
     "  worlds:\n    ^emissions: [[0.6, 0.4], [0.4, 0.6]]\n", P,
     "`worlds` must be a list of worlds or a ladder", "`- `"},
    {"world of weight 0", "    - emissions: [[0.8,", "    - weight: ^0\n      emissions: [[0.8,", I,
     "weight of a world must be above 0", "remove a world"},
    {"caveat that is a list", "title: Diagnosis\n", "caveat: ^[a, b]\n", P, "`caveat`", NULL},
    {"mix with what is not known", "    - emissions: [[0.8, 0.2], [0.2, 0.8]]",
     "    - {mix: ^unifrom, share: 0.5}", P, "`mix`", "uniform"},
    {"mix without a share", "    - emissions: [[0.8, 0.2], [0.2, 0.8]]", "    - {mix: ^uniform}", P,
     "the share of the uniform world is missing", "share: 0.5"},
    {"share without mix", "    - emissions: [[0.8, 0.2], [0.2, 0.8]]", "    - {share: ^0.5}", P,
     "`share` without `mix`", "{mix: uniform, share: 0.5}"},
    {"share above 1", "    - emissions: [[0.8, 0.2], [0.2, 0.8]]", "    - {mix: uniform, share: ^1.5}", I,
     "above 0 and at most 1, not 1.5", "halfway"},
    {"mix and matrices", "    - emissions: [[0.8, 0.2], [0.2, 0.8]]",
     "    - {mix: ^uniform, share: 0.5, emissions: [[0.8, 0.2], [0.2, 0.8]]}", I,
     "or has matrices of its own", "remove `mix`"},
    {"unknown key of a world", "    - emissions: [[0.8,", "    - ^emision: [[0.8,", P,
     "unknown key `emision` in `worlds`", "did you mean `emissions`?"},
    {"ladder that leaves [0, 1]",
     "  worlds:\n    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n",
     "  worlds: {around: environment, emissions: ^+-0.4}\n", I, "a shift of 0.4 takes the row of `healthy`",
     "smaller step"},
    {"ladder without a sign",
     "  worlds:\n    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n",
     "  worlds: {around: environment, emissions: ^0.1}\n", P,
     "the steps of a ladder of emissions cannot be `0.1`", "+-0.1"},
    {"action prior of the wrong length", "  discount: 0.95", "  discount: 0.95\n  action_prior: ^[0.5, 0.5]",
     I, "`action_prior` has 2 numbers, but there are 3 actions", "one number for each"},
    {"belief prior with a zero", "  discount: 0.95", "  discount: 0.95\n  belief_prior: ^[1, 0]", I,
     "`belief_prior` of `positive` is 0", "some probability"},

    /* utility */
    {"misspelt parameter", "monitor: cost", "monitor: ^cots", I, "`cots` is neither a number nor a parameter",
     "did you mean `cost`?"},
    {"parameter that is not declared", "monitor: cost", "monitor: ^price", I,
     "`price` is neither a number nor a parameter", "declare it under `parameters`"},
    {"state left out of a utility", "{healthy: correct, diseased: wrong}", "^{healthy: correct}", I,
     "the utility of the state `diseased` is missing", "`any`"},
    {"utility by state first", "    monitor: cost", "    monitor: cost\n    ^healthy: 1", I,
     "there is no action `healthy`; it is a state", "by action first"},
    {"unknown action in the utility", "    monitor: cost", "    ^monito: cost", I,
     "there is no action `monito`", "did you mean `monitor`?"},
    {"belief term of an action that names an action", "monitor: cost",
     "monitor: [cost, {when: certainty > 0.9, add: 2, ^action: monitor}]", P, "unknown key `action`", NULL},
    {"utilities as a list", "monitor: cost", "monitor: ^[1, 2]", P, "not a list", "by state"},
    {"misspelt parameter of any", "    monitor: cost", "    any: ^cots", I, "`cots` is neither",
     "did you mean `cost`?"},
    {"infinite utility", "monitor: cost", "monitor: ^-inf", I, "a utility must be finite", "large number"},
    {"alpha as a utility", "monitor: cost", "monitor: ^alpha", I, "`alpha` is not a utility", NULL},
    {"two parameters multiplied", "monitor: cost", "monitor: ^cost * wrong", P,
     "`cost * wrong` cannot be read", "2.5 * cost"},
    {"no utility",
     "  utility:\n    declare_healthy:  {healthy: correct, diseased: wrong}\n    declare_diseased: {healthy: "
     "wrong, "
     "diseased: correct}\n    monitor: cost\n",
     "", I, "the agent has no `utility`", "utility: {"},
    {"belief term without an amount",
     "  utility:\n    declare_healthy:  {healthy: correct, diseased: wrong}\n    declare_diseased: {healthy: "
     "wrong, "
     "diseased: correct}\n    monitor: cost\n",
     "  utility: ^{when: certainty > 0.9}\n", P, "adds nothing", "add: 2.5"},
    {"belief term that cannot be read",
     "  utility:\n    declare_healthy:  {healthy: correct, diseased: wrong}\n    declare_diseased: {healthy: "
     "wrong, "
     "diseased: correct}\n    monitor: cost\n",
     "  utility: {when: ^certainty = 0.9, add: 1}\n", P, "cannot be read", "certainty > 0.9"},
    {"belief term of an unknown state",
     "  utility:\n    declare_healthy:  {healthy: correct, diseased: wrong}\n    declare_diseased: {healthy: "
     "wrong, "
     "diseased: correct}\n    monitor: cost\n",
     "  utility: {when: ^sick > 0.9, add: 1}\n", I, "`sick` is neither `certainty` nor a state",
     "`healthy` or `diseased`"},
    {"ramp of what is not known", "monitor: cost", "monitor: [cost, {ramp: ^sick, from: 0.8, to: 1, add: 1}]",
     I, "`sick` is neither `certainty` nor a state", "`healthy` or `diseased`"},
    {"ramp without an end", "monitor: cost", "monitor: [cost, ^{ramp: certainty, from: 0.8, add: 1}]", P,
     "the ramp has no `to`", "from: 0.8"},
    {"ramp without a width", "monitor: cost",
     "monitor: [cost, {ramp: certainty, from: 0.9, to: ^0.9, add: 1}]", I, "is a jump", "from: 0.8"},
    {"ramp that adds nothing", "monitor: cost", "monitor: [cost, ^{ramp: certainty, from: 0.8, to: 1}]", P,
     "adds nothing", "add: 2.5"},
    {"ramp beyond 1", "monitor: cost", "monitor: [cost, {ramp: certainty, from: 0.8, to: ^1.2, add: 1}]", I,
     "1.2", NULL},
    {"utility on actions",
     "  utility:\n    declare_healthy:  {healthy: correct, diseased: wrong}\n    declare_diseased: {healthy: "
     "wrong, "
     "diseased: correct}\n    monitor: cost\n",
     "  utility: {on: ^action, positive: 1}\n", P, "`on` cannot be `action`", "`observation`"},

    /* parameters */
    {"no alpha", "    alpha: learn\n", "", I, "the agent has no `alpha`", "alpha: learn"},
    {"misspelt alpha", "    alpha: learn", "    ^apha: learn", I,
     "the parameter `apha` is not used, and `alpha` is missing", "did you mean `alpha`?"},
    {"misspelt beta", "    beta: learn", "    ^bta: learn", I, "the estimated utility `bta`",
     "did you mean `beta`?"},
    {"beta of 0", "beta: learn", "beta: ^0", I, "`beta` cannot be 0: its sign matters", "`0+`"},
    {"prior on beta", "beta: learn", "beta: ^learn ~ normal(0, 1)", I, "a prior cannot be put on `beta`",
     "optimism: learn"},
    {"beta and optimism", "    eta: learn", "    ^optimism: 0.5", I, "both `beta` and `optimism` are given",
     "one of them"},
    {"infinite eta", "    eta: learn", "    eta: ^inf", I, "`eta` must be finite", NULL},
    {"misspelt learn", "alpha: learn", "alpha: ^lern", P, "`alpha` must be a number, not `lern`",
     "did you mean `learn`?"},
    {"prior without a tilde", "alpha: learn", "alpha: ^learn normal(0, 1)", P, "cannot be read",
     "learn ~ normal(0, 1)"},
    {"unknown prior", "alpha: learn", "alpha: ^learn ~ cauchy(0, 1)", P, "`cauchy(0, 1)` is not a prior",
     "lognormal"},
    {"prior without its sd", "alpha: learn", "alpha: ^learn ~ normal(0)", P,
     "the prior `normal(0)` is not complete", "normal(mean, sd)"},
    {"prior with sd 0", "alpha: learn", "alpha: ^learn ~ lognormal(0, 0)", I, "0 must be above 0", NULL},
    {"prior not closed", "alpha: learn", "alpha: ^learn ~ normal(0, 1", P, "is not complete",
     "normal(mean, sd)"},
    {"uniform the wrong way round", "alpha: learn", "alpha: ^learn ~ uniform(2, 1)", I, "the smaller one",
     NULL},
    {"dirichlet on a number", "alpha: learn", "alpha: ^learn ~ dirichlet(1, 1)", I,
     "the prior of alpha cannot be dirichlet", "lognormal"},
    {"student_t without degrees of freedom", "alpha: learn", "alpha: ^learn ~ student_t(0, 1, 1)", I,
     "0 must be above 0", "degrees of freedom"},
    {"sign of eta", "    eta: learn", "    eta: {learn: , ^sign: negative}", I,
     "`sign` is for alpha and act_alpha", "prior"},
    {"sign by a number", "alpha: learn", "alpha: {learn: , sign: ^-1}", P, "`sign` cannot be `-1`",
     "negative"},
    {"a distribution among the parameters", "    eta: learn", "    ^action_prior: learn", I,
     "`action_prior` is not a number", "under `agent`"},
    {"estimated action prior without a tilde", "  discount: 0.95",
     "  discount: 0.95\n  action_prior: ^learn dirichlet(1, 1, 1)", P, "cannot be read", "learn ~ dirichlet"},
    {"normal prior of a distribution", "  discount: 0.95",
     "  discount: 0.95\n  action_prior: ^learn ~ normal(0, 1)", I,
     "the prior of action_prior cannot be normal", "dirichlet"},
    {"dirichlet with too few numbers", "  discount: 0.95",
     "  discount: 0.95\n  action_prior: ^learn ~ dirichlet(1, 2)", I,
     "has 2 numbers, but action_prior has 3 entries", "a number for each"},
    {"more than a prior", "  discount: 0.95", "  discount: 0.95\n  action_prior: ^{learn: flat, standard: 1}",
     P, "`action_prior` cannot be read", "learn"},
    {"weights of worlds twice", "    - emissions: [[0.8, 0.2], [0.2, 0.8]]",
     "    - {emissions: [[0.8, 0.2], [0.2, 0.8]], weight: 2}\n  world_weights: ^learn", I,
     "world 2 has a `weight` (line 18)", "keep one"},
    {"weights of other worlds", "  discount: 0.95", "  discount: 0.95\n  world_weights: ^[1, 2, 1]", I,
     "`world_weights` has 3 numbers, but there are 2 worlds", "in the order of `worlds`"},
    {"weight of 0 in the list", "  discount: 0.95", "  discount: 0.95\n  world_weights: [1, ^0]", I,
     "weight of a world must be above 0", "remove a world"},
    {"weights that are a number", "  discount: 0.95", "  discount: 0.95\n  world_weights: ^0.5", P,
     "`world_weights`", "a list"},
    {"weight of one world",
     "  worlds:\n    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n    - emissions: [[0.8, 0.2], [0.2, 0.8]]",
     "  world_weights: ^learn", I, "there is one world", "list the `worlds`"},
    {"estimated action prior of a preset",
     "  worlds:\n    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n    - emissions: [[0.8, 0.2], [0.2, 0.8]]",
     "  preset: uniformly-random\n  action_prior: ^learn", I, "has a uniform action prior", "kl-regularized"},
    {"estimated start of the environment", "  start: [0.5, 0.5]", "  start: ^learn", I,
     "the dynamics are still to be learnt from logs", "asif learn-world"},
    {"estimated start and reset", "  discount: 0.95", "  discount: 0.95\n  start: ^learn", I,
     "`reset` does not know what to draw from", "`reset: [...]` under `environment`"},
    {"estimated utility without a standard", "    wrong: -36", "    ^wrong: learn", I,
     "the estimated utility `wrong` has no `standard`", "standard: -36"},
    {"standard of alpha", "alpha: learn", "alpha: {learn: 'lognormal(0, 1)', ^standard: 1}", I,
     "`standard` is for utilities", NULL},
    {"parameter that is a list", "wrong: -36", "wrong: ^[-36]", P, "wrong must be a single value, not a list",
     NULL},
    {"parameter without a value", "wrong: -36", "wrong:^", P, "wrong must be a single value, not empty",
     NULL},
    {"name that is a number", "    wrong: -36", "    wrong: -36\n    ^2x: 1", I,
     "`2x` cannot be the name of a parameter", "begin with a letter"},

    /* presets */
    {"unknown preset", "planner: bounded-rational", "preset: ^boltzman-exploratory", P,
     "`preset` cannot be `boltzman-exploratory`", "did you mean `boltzmann-exploratory`?"},
    {"preset and another alpha",
     "planner: bounded-rational\n  discount: 0.95\n  worlds:\n    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n"
     "    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n",
     "preset: deterministic-optimal\n  discount: 0.95\n", I, "the preset `deterministic-optimal` has alpha 0",
     "remove `alpha`"},

    /* solver, logs, inverse */
    {"resolution of 0", "resolution: 100", "resolution: ^0", I, "`resolution` must be a whole number from 1",
     NULL},
    {"resolution of another word", "resolution: 100", "resolution: ^fine", P, "`resolution` must be a number",
     "`auto` lets a fit choose it"},
    {"lattice error of 0", "resolution: 100", "resolution: auto, lattice_error: ^0", I,
     "`lattice_error` must be above 0", "0.05"},
    {"lattice error without a choice", "{resolution: 100", "^{resolution: 100, lattice_error: 0.1", I,
     "`lattice_error` goes with `resolution: auto`", NULL},
    {"tol of 0", "tol: 1e-12", "tol: ^0", I, "`tol` must be above 0 and below 1", "1e-12"},
    {"misspelt option of the solver", "{resolution: 100, tol", "{^resolutoin: 100, tol", P,
     "unknown key `resolutoin` in `solver`", "did you mean `resolution`?"},
    {"memory without a unit that is known", "tol: 1e-12", "memory: ^4 gigs", P, "`memory` cannot be `4 gigs`",
     "4 GB"},
    {"unknown role of a column", "episode: episode,", "^patient: id,", P, "unknown key `patient` in `logs`",
     "the keys here are"},
    {"label that is no action", "action: action,", "action: {column: a, labels: {0: monitor, 1: ^stop}},", I,
     "there is no action `stop`", "the actions are"},
    {"cuts that do not ascend", "observation: observation", "observation: {column: x, cut: [4.5, ^0.5]}", I,
     "must ascend, but 0.5 follows 4.5", NULL},
    {"labels without a column", "action: action,", "action: ^{labels: {0: monitor}},", P,
     "the `column` is missing", "{column: NAME"},
    {"action masks", "time: t,", "^mask: allowed,", P, "unknown key `mask` in `logs`",
     "masks are not supported"},
    {"reset with a horizon", "    any: reset\n", "    any: ^reset\n  horizon: 5\n", I,
     "`reset` is not possible with a `horizon`", "write `terminal` instead"},
    {"what reset draws from with a horizon", "    any: reset\n",
     "    any: terminal\n  horizon: 5\n  reset: ^[0.5, 0.5]\n", I, "`reset` is not possible with a `horizon`",
     "remove `reset`"},
    {"a horizon of nothing", "  start: [0.5, 0.5]\n", "  start: [0.5, 0.5]\n  horizon: ^0\n", I,
     "`horizon` must be a whole number from 1 to", "number of decisions"},
    {"a horizon of half a decision", "  start: [0.5, 0.5]\n", "  start: [0.5, 0.5]\n  horizon: ^2.5\n", I,
     "`horizon` must be a whole number from 1 to", "number of decisions"},
    {"a horizon in words", "  start: [0.5, 0.5]\n", "  start: [0.5, 0.5]\n  horizon: ^five\n", P,
     "`horizon` must be a number", NULL},
    {"a world that ends otherwise", "    - emissions: [[0.6, 0.4], [0.4, 0.6]]\n",
     "    - transitions: ^{monitor: terminal}\n", I, "`monitor` is `terminal` in a world, but not in the",
     "the agent knows which actions end an episode"},
    {"emissions that are terminal", "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: ^terminal", P,
     "emissions cannot be `terminal`", "identity, uniform"},
    {"nearly terminal", "    any: reset\n", "    any: ^terminall\n", P, "cannot be `terminall`",
     "did you mean `terminal`?"},
    {"no discount", "  discount: 0.95\n", "  discount: ^1\n", I, "must be at least 0 and below 1",
     "With a `horizon` it may be 1"},
    {"a horizon of the agent", "  discount: 0.95", "  discount: 0.95\n  ^horizon: 10", P,
     "unknown key `horizon`", "belongs under environment"},
    {"unknown treatment of missing cells", "time: t,", "missing: ^ignore,", P, "`missing` cannot be `ignore`",
     "`refuse`, `drop_row`, `drop_episode` or `not_seen`"},
    {"lost results of all logs", "time: t,", "missing: ^unrecorded,", P, "a column of observations",
     "{column: NAME, missing: unrecorded}"},
    {"formula without a tilde", "title: Diagnosis\n", "population: {alpha: ^age + site}\n", P,
     "a formula of `population` begins with `~`", "`alpha: ~ age + site`"},
    {"formula without a column", "title: Diagnosis\n", "population: {alpha: ^~ age + }\n", P,
     "lacks a column", "`~ age + site`"},
    {"formula of a parameter that is not estimated", "title: Diagnosis\n", "population: {^alfa: ~ age}\n", I,
     "`population` describes `alfa`", "did you mean `alpha`?"},
    {"inverse planner that is not there", "title: Diagnosis\n", "inverse: ^max-margin\n", I,
     "there is no inverse planner `max-margin`", "soft-policy-matching"},
};

typedef struct {
    char text[4096];
    uint32_t line, column; /* of the mark; 0: none */
} mistaken;

static mistaken put_in(const mistake *m) {
    mistaken out = {"", 0, 0};
    char marked[4096];
    const char *at = m->of ? strstr(good, m->of) : good;
    CHECK(at != NULL, "%s: `%s` is not in the study", m->name, m->of);
    CHECK(!m->of || !strstr(at + 1, m->of), "%s: `%s` is there twice", m->name, m->of);
    const char *rest = m->of ? at + strlen(m->of) : good + strlen(good);
    int length = snprintf(marked, sizeof marked, "%.*s%s%s", (int)(at - good), good, m->instead, rest);
    CHECK(length > 0 && (size_t)length < sizeof marked, "%s: too long", m->name);
    const char *mark = strchr(marked, '^');
    if (!mark) {
        memcpy(out.text, marked, (size_t)length + 1);
        return out;
    }
    out.line = out.column = 1;
    for (const char *c = marked; c < mark; c++) {
        out.column = *c == '\n' ? 1 : out.column + 1;
        out.line += *c == '\n';
    }
    memcpy(out.text, marked, (size_t)(mark - marked));
    memcpy(out.text + (mark - marked), mark + 1, strlen(mark));
    return out;
}

static void test_mistakes(void **state) {
    (void)state;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        mistaken study = put_in(m);
        asif_error error = ASIF_ERROR_INIT;
        asif_study *read = NULL;
        asif_status status =
            asif_study_read(&read, context, study.text, strlen(study.text), NULL, NULL, &error);
        bool fine = !read && status == m->status && error.status == m->status &&
                    (!study.line || (error.line == study.line && error.column == study.column)) &&
                    (!m->message || strstr(error.message, m->message)) &&
                    (!m->hint || strstr(error.hint, m->hint));
        if (!fine) {
            print_error("%s: status %d (want %d), at %u:%u (want %u:%u)\n    %s\n    hint: %s\n", m->name,
                        (int)status, (int)m->status, error.line, error.column, study.line, study.column,
                        error.message, error.hint);
            wrong++;
        }
        asif_study_free(read);
    }
    asif_context_free(context);
    CHECK(wrong == 0, "%u mistakes are not met as they should be", wrong);
}

static void test_the_study_is_good(void **state) {
    (void)state;
    asif_context *context = NULL;
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
    CHECK(asif_study_read(&study, context, good, sizeof good - 1, NULL, problems, &error) == ASIF_OK, "%s",
          error.message);
    assert_int_equal(asif_problems_count(problems), 0);
    asif_study_free(study);
    asif_problems_free(problems);
    asif_context_free(context);
}

/* One pass lists what is wrong in several places, each once, in order, and a bad space makes no echo. */
static void test_several_at_once(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t lines[8];
    } rows[] = {
        {"asif: 1\nstates: [a, b]\nactions: [u]\nenvironment:\n  start: [0.5, 0.6]\n  transitions: [[1, 0], "
         "[0, 0.9]]\n"
         "agent:\n  discount: 1\n  utility: {u: gain}\n  parameters: {alpha: lern}\nsolver: {tol: x}\n",
         {5, 6, 8, 9, 10, 11, 0}},
        {"asif: 1\nstates: [a, a]\nactions: [u]\nenvironment:\n  start: [0.5, 0.5, 0]\nagent:\n  discount: "
         "0.9\n"
         "  utility: {u: gain}\n  parameters: {alpha: 1}\n",
         {2, 0}},
    };
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_problems *problems = NULL;
        asif_study *study = NULL;
        assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
        asif_error error = ASIF_ERROR_INIT;
        assert_int_not_equal(
            asif_study_read(&study, context, rows[i].text, strlen(rows[i].text), "s.yaml", problems, &error),
            ASIF_OK);
        assert_string_equal(error.file, "s.yaml");
        assert_int_equal(error.line, rows[i].lines[0]);
        uint32_t n = 0;
        for (; rows[i].lines[n]; n++) {
            const asif_error *problem = asif_problems_get(problems, n, NULL);
            CHECK(problem && problem->line == rows[i].lines[n], "study %zu, problem %u: line %u (%s), not %u",
                  i, n, problem ? problem->line : 0, problem ? problem->message : "", rows[i].lines[n]);
        }
        CHECK(asif_problems_count(problems) == n, "study %zu: %u problems, not %u: %s", i,
              asif_problems_count(problems), n, asif_problems_get(problems, n, NULL)->message);
        asif_problems_free(problems);
    }
    asif_context_free(context);
}

/* Every key of the study, misspelt, makes one problem, and nothing that only follows from it. */
static void test_misspelt_keys(void **state) {
    (void)state;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    unsigned keys = 0;
    for (const char *colon = strchr(good, ':'); colon; colon = strchr(colon + 1, ':')) {
        const char *key = colon;
        while (key > good && strchr("abcdefghijklmnopqrstuvwxyz_", key[-1]))
            key--;
        if (colon - key < 3)
            continue;
        char text[sizeof good];
        int length = snprintf(text, sizeof text, "%.*s%s", (int)(key + 1 - good), good, key + 2);
        uint32_t line = 1;
        for (const char *c = good; c < key; c++)
            line += *c == '\n';
        asif_problems *problems = NULL;
        asif_study *study = NULL;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
        asif_study_read(&study, context, text, (uint64_t)length, NULL, problems, &error);
        const asif_error *first = asif_problems_get(problems, 0, NULL);
        CHECK(asif_problems_count(problems) == 1, "line %u without the second letter of `%.*s`: %u problems",
              line, (int)(colon - key), key, asif_problems_count(problems));
        /* A parameter of the utility is missed where the utility names it. */
        bool utility =
            strncmp(key, "correct", 7) == 0 || strncmp(key, "wrong", 5) == 0 || strncmp(key, "cost", 4) == 0;
        CHECK(utility || first->line == line, "line %u instead of %u: %s", first->line, line, first->message);
        bool suggested = strncmp(first->hint, "did you mean", 12) == 0;
        CHECK(suggested || strncmp(key, "any", 3) == 0, "line %u: %s: %s", line, first->message, first->hint);
        asif_study_free(study);
        asif_problems_free(problems);
        keys++;
    }
    CHECK(keys > 30, "only %u keys", keys);
    asif_context_free(context);
}

/* A list that is full keeps the problems that come first, and does not touch those that were there before. */
static void test_full_list(void **state) {
    (void)state;
    static const char text[] = "asif: 1\nstates: [a, b]\nactions: [u]\nenvironment:\n  start: [0.5, 0.6]\n"
                               "agent:\n  discount: 1\n  utility: {u: gain}\n  parameters: {alpha: lern}\n";
    asif_context *context = NULL;
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_problems_create(&problems, context, 4, NULL), ASIF_OK);
    assert_int_equal(asif_study_read(&study, context, "zebra: 1", 8, NULL, problems, &error), ASIF_EPARSE);
    assert_int_equal(asif_study_read(&study, context, text, sizeof text - 1, NULL, problems, &error),
                     ASIF_EINVALID);
    static const uint32_t lines[] = {1, 5, 7, 8};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(asif_problems_get(problems, i, NULL)->line, lines[i]);
    assert_int_equal(asif_problems_count(problems), 4);
    assert_int_equal(asif_problems_found(problems, ASIF_PROBLEM_ERROR), 5);
    assert_int_equal(error.line, 5);
    asif_problems_free(problems);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_study_is_good), cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_several_at_once),   cmocka_unit_test(test_misspelt_keys),
        cmocka_unit_test(test_full_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
