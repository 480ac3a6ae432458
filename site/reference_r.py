"""Reference of the R package from its manual (r/man/*.Rd)."""
import re

SECTIONS = ("description", "usage", "arguments", "details", "value", "section", "references", "seealso", "examples")
AS_IS = ("usage", "examples")


def braced(text, at):
    """The contents of the braces that open at `at`, and where they end."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0) * (text[i - 1] != "\\")
        if depth == 0:
            return text[at + 1:i], i + 1
    raise SystemExit(f"site/reference_r.py: a brace is not closed: {text[at:at + 60]}")


def unescaped(text):
    return re.sub(r"\\([%{}\\])", r"\1", text)


def inline(text, topics):
    """Markdown of running text."""
    out, at = "", 0
    for match in iter(lambda: re.compile(r"\\(\w+)(\[[^\]]*\])?\{").search(text, at), None):
        out += text[at:match.start()]
        body, at = braced(text, match.end() - 1)
        name = match.group(1)
        if name == "link":
            topic = re.sub(r"^=", "", match.group(2)[1:-1]) if match.group(2) else body
            out += f"[{body}](#{topics[topic]})" if topic in topics else body
        elif name == "code" and (found := re.fullmatch(r"\\link(?:\[=([^\]]*)\])?\{(.*)\}", body)):
            topic = found[1] or found[2]
            out += f"[`{unescaped(found[2])}`](#{topics[topic]})" if topic in topics else f"`{unescaped(found[2])}`"
        elif name in ("code", "option", "command", "file"):
            out += f"`{unescaped(body)}`"
        elif name == "emph":
            out += f"*{inline(body, topics)}*"
        elif name == "pkg":
            out += f"**{body}**"
        else:
            raise SystemExit(f"site/reference_r.py does not know \\{name}")
    return unescaped(out + text[at:]).replace("\\dots", "...")


def parts_of(text):
    """(macro, title, contents) of a page, in order."""
    at, out = 0, []
    while match := re.compile(r"^\\(\w+)\{", re.M).search(text, at):
        body, at = braced(text, match.end() - 1)
        title = ""
        if match.group(1) == "section":
            title, (body, at) = body, braced(text, at)
        out.append((match.group(1), title, body))
    return out


def arguments(body, topics):
    out, at = [], 0
    while match := re.compile(r"\\item\{").search(body, at):
        name, at = braced(body, match.end() - 1)
        words, at = braced(body, body.index("{", at))
        out.append(f"* `{'...' if name == chr(92) + 'dots' else name}`: " + " ".join(inline(words, topics).split()))
    return "\n".join(out)


def page_lines(parts, topics):
    title = next(body for macro, _, body in parts if macro == "title")
    name = next(body for macro, _, body in parts if macro == "name")
    out = [f"## {name}: {title} {{ #{name.replace('_', '-')} }}"]
    for macro, heading, body in sorted((p for p in parts if p[0] in SECTIONS), key=lambda p: SECTIONS.index(p[0])):
        if macro in AS_IS:
            code = re.sub(r"\\method\{(\w+)\}\{\w+\}", r"\1", unescaped(body.strip("\n"))).replace("\\dots", "...")
            out.append(("**Examples**\n\n" if macro == "examples" else "") + f"```r\n{code}\n```")
        elif macro == "arguments":
            out.append(arguments(body, topics))
        else:
            words = inline(body.strip(), topics)
            label = {"value": "Value", "seealso": "See also", "references": "References", "section": heading}.get(macro)
            out.append(f"**{label}.** {words}" if label else words)
    return out


def make(source, page):
    pages = [parts_of(path.read_text(encoding="utf-8")) for path in sorted((source / "r" / "man").glob("*.Rd"))]
    topics = {}
    for parts in pages:
        name = next(body for macro, _, body in parts if macro == "name")
        topics.update({body: name.replace("_", "-") for macro, _, body in parts if macro == "alias"})
    out = ["# The R package", "Made from the pages that `help(package = \"asif\")` shows in R. [Use asif from R](../docs/howto/r.md) shows how "
           "to begin."]
    for parts in pages:
        out += page_lines(parts, topics)
    page.write_text("\n\n".join(out) + "\n", encoding="utf-8")
