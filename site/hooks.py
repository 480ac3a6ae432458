"""MkDocs hooks: formulas become MathML when the site is built, so that no script draws them."""
import re

import latex2mathml.converter

CODE = re.compile(r"(?ms)^(```|~~~).*?^\1|`[^`\n]*`")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\w$\\])\$(?!\s)([^$\n]+(?:\n[^$\n]+)?)(?<!\s)\$(?![\w$])", re.S)
kept = []


def on_page_markdown(markdown, **_):
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
