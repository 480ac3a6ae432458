"""Reference of the Python package from its source: public classes and functions with their signatures and docstrings."""
import ast
import inspect
import textwrap


def words_of(annotation):
    return ast.unparse(annotation).strip("'")


def parameters(arguments):
    """What stands between the parentheses of a signature, one text for each parameter."""
    def told(argument, default):
        words = argument.arg + (f": {words_of(argument.annotation)}" if argument.annotation else "")
        return words + (f" = {ast.unparse(default)}" if default else "")

    plain = arguments.posonlyargs + arguments.args
    out = [told(a, d) for a, d in zip(plain, [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults)]
    if arguments.vararg or arguments.kwonlyargs:
        out.append("*" + (told(arguments.vararg, None) if arguments.vararg else ""))
    out += [told(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        out.append("**" + told(arguments.kwarg, None))
    return [p for p in out if p != "self"]


def signature(node, name):
    returns = f" -> {words_of(node.returns)}" if node.returns and node.name != "__init__" else ""
    made = parameters(node.args)
    line = f"{name}({', '.join(made)}){returns}"
    if len(line) > 80:
        line = f"{name}(\n" + "".join(f"    {p},\n" for p in made) + f"){returns}"
    return f"```python\n{line}\n```"


def documented(node):
    doc = ast.get_docstring(node)
    return inspect.cleandoc(doc) if doc else ""


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def class_lines(node):
    out = [f"## {node.name}", documented(node)]
    made = [m for m in node.body if isinstance(m, ast.FunctionDef)]
    for method in made:
        if method.name == "__init__" and not any(a.arg.startswith("_") or a.arg == "call" for a in method.args.args + method.args.kwonlyargs):
            out.append(signature(method, f"asif.{node.name}"))
    fields = [m for m in node.body if isinstance(m, ast.AnnAssign)]
    properties = [m for m in made if is_property(m) and not m.name.startswith("_")]
    rows = [f"* `{f.target.id}`: `{words_of(f.annotation)}`" for f in fields if not f.target.id.startswith("_")]
    rows += [f"* `{p.name}`: `{words_of(p.returns)}`{'. ' + ' '.join(documented(p).split()) if documented(p) else ''}" for p in properties]
    if rows:
        out.append("\n".join(rows))
    for method in made:
        if not method.name.startswith("_") and not is_property(method):
            out += [f"### {node.name}.{method.name}", signature(method, method.name), documented(method)]
        if method.name == "__call__":
            out += [f"### {node.name}()", signature(method, node.name.lower()), documented(method)]
    return out


def make(source, page):
    folder = source / "python" / "src" / "asif"
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py"))]
    package = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    public = next(ast.literal_eval(n.value) for n in package.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    nodes = {n.name: n for tree in trees for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef)) and n.name in public}
    if set(nodes) != set(public):
        raise SystemExit(f"site/reference_python.py does not find {sorted(set(public) - set(nodes))}")
    order = sorted(nodes, key=lambda name: (["Study", "Fit"].index(name) if name in ("Study", "Fit") else 2, name))
    out = ["# The Python package", "Made from the docstrings of the package, which `help(asif.Study)` shows in Python. [Use asif from "
           "Python](../docs/howto/python.md) shows how to begin.", "```python\n" + textwrap.dedent(documented(package).split("\n\n", 1)[1]) + "\n```"]
    for name in order:
        node = nodes[name]
        out += class_lines(node) if isinstance(node, ast.ClassDef) else [f"## {name}", signature(node, f"asif.{name}"), documented(node)]
    page.write_text("\n\n".join(part for part in out if part) + "\n", encoding="utf-8")
