"""Labels that nobody should trust: markup, scripts, templates, expressions, odd writing, great length."""
import json

RLO, RLM, BOM, ZWJ = "\u202e", "\u200f", "\ufeff", "\u200d"

TITLE = "</title><script>window.pwned=1</script> \"quoted\" 'twice' & </h1><img src=x onerror=window.pwned=1>"
STATES = ["<script>window.pwned=1</script>", "</script><script>window.pwned=1</script><!--"]
ACTIONS = ["<img src=x onerror=window.pwned=1>", "'+window.alert(1)+'", "datum.x ? window.pwned=1 : \\u003cb\\u003e " + "m" * 270]
OBSERVATIONS = [RLO + "\u05d0\u05d1\u05d2 evil" + RLM, "\U0001f9d1" + ZWJ + "\u2695\ufe0f \U0001f600 \U0001f3f3\ufe0f" + ZWJ + "\U0001f308"]
GROUPS = ["${window.pwned=1}{{pwned}}`@legend`", "g" * 150 + " " + "<b onmouseover=window.pwned=1>" + "h" * 119]
PARAMETERS = ["constructor", "datum.x-toString", "c" + "o" * 298 + "st"]  # letters, digits, `_`, `-`, `.`: no others are taken
COLUMN = "si\"te</style>"


def quoted(label):
    return json.dumps(label, ensure_ascii=False)


def study(cost='{learn: "normal(-1, 1)", standard: -1}'):
    """The diagnosis task in these words."""
    states, actions, observations = ([quoted(x) for x in labels] for labels in (STATES, ACTIONS, OBSERVATIONS))
    return """\
asif: 1
title: %s
states: [%s]
actions: [%s]
observations: [%s]
environment:
  start: [0.5, 0.5]
  transitions: {%s: identity, any: reset}
  emissions: [[0.7, 0.3], [0.3, 0.7]]
  ends: [%s]
agent:
  discount: 0.95
  worlds:
    - emissions: [[0.6, 0.4], [0.4, 0.6]]
    - emissions: [[0.7, 0.3], [0.3, 0.7]]
    - emissions: [[0.8, 0.2], [0.2, 0.8]]
  utility:
    %s: {%s: %s, %s: %s}
    %s: {%s: %s, %s: %s}
    %s: %s
  parameters: {%s: 10, %s: -36, %s: %s, alpha: learn, beta: learn, eta: 0}
solver: {resolution: 20}
""" % (quoted(TITLE), ", ".join(states), ", ".join(actions), ", ".join(observations), actions[2], ", ".join(actions[:2]),
       actions[0], states[0], quoted(PARAMETERS[0]), states[1], quoted(PARAMETERS[1]),
       actions[1], states[0], quoted(PARAMETERS[1]), states[1], quoted(PARAMETERS[0]),
       actions[2], quoted(PARAMETERS[2]), *map(quoted, PARAMETERS), cost)
