"""MkDocs hooks: formulas become MathML when the site is built, so that no script draws them; the same step in several languages, one
block of code after another, becomes tabs."""
import re

import latex2mathml.converter

CODE = re.compile(r"(?ms)^(```|~~~).*?^\1|`[^`\n]*`")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\w$\\])\$(?!\s)([^$\n]+(?:\n[^$\n]+)?)(?<!\s)\$(?![\w$])", re.S)
STEP = re.compile(r"^```sh\n(?:(?!```).*\n)*```\n(?:\n```(?:python|r)\n(?:(?!```).*\n)*```\n)+", re.M)
ONE = re.compile(r"```(sh|python|r)\n(.*?)^```\n", re.M | re.S)
TITLES = {"sh": "Shell", "python": "Python", "r": "R"}
kept = []


def tabs(match):
    made = []
    for language, body in ONE.findall(match.group(0)):
        block = f"```{language}\n{body}```\n"
        made.append(f'=== "{TITLES[language]}"\n\n' + "".join("    " + line for line in block.splitlines(keepends=True)))
    return "\n".join(made) + "\n"


def on_page_markdown(markdown, **_):
    markdown = STEP.sub(tabs, markdown)

    def keep(match):
        block, inline = match.groups()
        kept.append(latex2mathml.converter.convert(block or inline, display="block" if block else "inline"))
        return f"XFORMULA{len(kept) - 1}X"

    out, at = [], 0
    for code in CODE.finditer(markdown):
        out += [FORMULA.sub(keep, markdown[at:code.start()]), code.group(0)]
        at = code.end()
    return "".join(out) + FORMULA.sub(keep, markdown[at:])


def on_page_content(html, **_):
    return re.sub(r"XFORMULA(\d+)X", lambda match: kept[int(match.group(1))], html)
