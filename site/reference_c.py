"""Reference of the C library from its headers: each declaration as it stands there, below a heading, with its comment in words."""
import re

ITEM = re.compile(r"""
    (?P<comment>/\*.*?\*/)
  | (?P<directive>^[ ]*\#(?:[^\n]*\\\n)*[^\n]*)
  | (?P<extern>extern\ "C"\ \{|^\})
  | (?P<declaration>[^\s/\#}](?:/\*.*?\*/|\{(?:/\*.*?\*/|[^{}]|\{(?:/\*.*?\*/|[^{}])*\})*\}|[^;{}])*;)
""", re.S | re.M | re.X)


def clean(comment):
    """The words of a comment, one paragraph a line apart."""
    words = re.sub(r"^/\*\*?|\*/$", "", comment.strip())
    return re.sub(r"(?m)^[ \t]*\* ?", "", words).strip()


def name_of(declaration):
    bare = re.sub(r"(?s)/\*.*?\*/", "", declaration)
    constant = re.match(r"enum \{\s*(\w+)", bare)
    if constant:
        return constant[1]
    bare = re.sub(r"(?s)\{.*\}", "{}", bare).strip()
    for pattern in (r"^typedef [^(]*\(\*(\w+)\)\(", r"\}\s*(\w+);$", r"^struct (\w+) \{", r"^[^(]*?(\w+)\(", r"(\w+)\s*;$"):
        found = re.search(pattern, bare)
        if found:
            return found[1]
    raise SystemExit(f"site/reference_c.py finds no name in: {declaration}")


def items_of(text):
    """(name, comment or "", source) of everything that a header declares; names that belong together share a comment."""
    comment, out = "", []
    for match in ITEM.finditer(text):
        kind, source = match.lastgroup, match.group(0)
        if kind == "comment":
            comment = clean(source) if source.startswith("/**") else ""
            continue
        if kind == "declaration":
            if source.startswith("ASIF_API "):
                source = source.removeprefix("ASIF_API ").replace("\n" + " " * len("ASIF_API "), "\n")
            out.append((name_of(source), comment, source))
        elif kind == "directive" and (found := re.match(r"\s*#define (ASIF_\w+)", source)) and comment:
            out.append((found[1], comment, source.strip()))
        comment = ""
    return out


def words(comment, known, page):
    """Markdown of a comment: names that have a place become links, and parameters a list."""
    comment = re.sub(r"<ndash ?/?>|--(?= )", "–", comment)

    def link(match):
        name = match.group(1) or match.group(2)
        if name not in known or match.group(0).startswith("`"):
            return match.group(0)
        where = "" if known[name] == page else f"{known[name]}.md"
        return f"[`{name}{'()' if match.group(2) else ''}`]({where}#{name})"

    text = re.sub(r"`[^`]*`|::(\w+)|\b(asif_\w+)\(\)", link, comment)
    text = re.sub(r"\b(ASIF_[A-Z0-9_]+)\b(?![^\[]*\])", r"`\1`", text)
    parts = re.split(r"\s*@(param(?:\[\w+(?:,\w+)?\])?|return)\s+", text)
    out, listed = [parts[0]], []
    for command, body in zip(parts[1::2], parts[2::2]):
        body = " ".join(body.split())
        if command == "return":
            listed.append(f"* **Returns** {body}")
        else:
            name, _, rest = body.partition(" ")
            listed.append(f"* `{name}`{' (out)' if 'out' in command else ''}: {rest}")
    if listed:
        out.append("\n".join(listed))
    return "\n\n".join(part for part in out if part)


def make(source, out):
    """Write the pages of the headers, and one that lists them, into the folder `out`; what the headers are about, by name."""
    headers = {path.stem: path.read_text(encoding="utf-8") for path in sorted((source / "include" / "asif").glob("*.h"))}
    items = {stem: items_of(text) for stem, text in headers.items()}
    known = {name: stem for stem, list_ in items.items() for name, _, _ in list_}
    lost = set(re.findall(r"^\s+(asif_\w+);", (source / "src" / "asif.map").read_text(encoding="utf-8"), re.M)) - set(known)
    if lost:
        raise SystemExit(f"site/reference_c.py did not find {sorted(lost)}")
    out.mkdir(parents=True)
    lines = []
    for stem, text in headers.items():
        about = clean(re.search(r"(?s)/\*\*.*?\*/", text).group(0)).replace("@file", "").strip()
        page = [f"# asif/{stem}.h", words(about, known, stem)]
        for name, comment, code in items[stem]:
            page += [f"## `{name}` {{ #{name} }}", words(comment, known, stem), f"```c\n{code}\n```"]
        (out / f"{stem}.md").write_text("\n\n".join(part for part in page if part) + "\n", encoding="utf-8")
        first = re.split(r"(?<=[.:]) ", " ".join(about.split()))[0].rstrip(":.")
        lines.append(f"| [asif/{stem}.h]({stem}.md) | {words(first, known, '')} | {len(items[stem])} |")
    intro = ("# The C library\n\nEverything that the public headers declare, header by header, made from the headers themselves. A program "
             "includes `asif.h`, which includes all of them. [Use libasif from C](../../docs/howto/use-from-c.md) shows how to begin.\n\n"
             "| header | is about | declarations |\n|---|---|---|\n")
    (out / "index.md").write_text(intro + "\n".join(lines) + "\n", encoding="utf-8")
