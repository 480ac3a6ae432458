"""What the net runs: one line a case, in order, in one folder that begins with a copy of examples/.

    KIND NAME[+json] COMMAND...

KIND says how numbers are held in tests/net/expected (net.py explains it): `solved` for what a formula or a solver to 1e-12
gives, `drawn` for what comes out of a search or a chain; `unkept` cases are for `net.py compare` alone. NAME+json runs the command a second time with --json, as NAME.json.
Names that end in .ascii run in a locale
without UTF-8. `> FILE` keeps standard output as a file for later cases, `< FILE` is standard input, $NAME is one of WORDS. Sizes are small:
the chains are far too short to be believed, which is all the same here.
"""
import csv
import os
import shlex
import shutil

WORDS = {
    "AGENT": "-p alpha=0.5 -p beta=1.25 -p eta=0",
    "NEUTRAL": "-p alpha=0.5 -p beta=inf -p eta=0",
    "SHORT": "--chains 2 --warmup 25 --draws 25 --starts 2 --seed 1 -q",
    "COARSE": "--resolution 12 --tol 1e-8",
    "DIAG": "examples/diag/study.yaml",
    "VISITS": "examples/logs/study.yaml examples/logs/visits.csv",
    "INVERSE": "examples/inverses",
    "FEW": "--replicates 3 -n 20 --max-steps 20 --chains 1 --warmup 20 --starts 1 --resolution 12 --tol 1e-8 --seed 5",
}

SET_UP = """
solved new                    new first
solved new.again              new first
solved new.check              check first.yaml
solved new.from               new --from examples/logs/visits.csv second
solved new.mapped             new --from examples/logs/visits.csv --map action=ordered --map observation=cdrsb,recall third
unkept list+json              list
unkept list.planners+json     list planners
unkept list.inverses+json     list inverses
unkept list.presets+json      list presets
solved list.formats+json      list formats
solved list.pairs+json        list pairs
solved check.diag+json        check $DIAG
solved check.tiger+json       check examples/tiger/study.yaml
unkept check.gridworld        check examples/gridworld/study.yaml
solved check.memory+json      check examples/memory/study.yaml -q
solved check.rust             check examples/rust/study.yaml
solved check.visits+json      check $VISITS
unkept check.loglik+json      check $VISITS -p alpha=0.5
unkept check.utilities        check examples/diag/utilities.yaml
unkept check.rewards          check examples/diag/rewards.yaml
solved convert.study          convert $DIAG diag.pomdp $AGENT
solved convert.pomdp          convert examples/tiger/tiger.pomdp tiger.yaml
solved convert.again          convert examples/tiger/tiger.pomdp tiger.pomdp
solved convert.drn            convert examples/gridworld/grid.drn grid.pomdp --discount 0.9
solved convert.nothing        convert examples/tiger/tiger.pomdp tiger.txt
solved plan.diag+json         plan $DIAG $AGENT --resolution 20
solved plan.beliefs+json      plan $DIAG $AGENT -b 0.5,0.5 -b 0.9,0.1 --resolution 40 --occupancy
solved plan.history+json      plan $DIAG $AGENT --history monitor:positive,monitor:positive --resolution 40
solved plan.figures           plan $DIAG $AGENT --figures plan-figures --resolution 10 -q
solved plan.triangle          plan examples/memory/study.yaml $AGENT --figures plan-figures --resolution 4 -q
solved plan.tiger+json        plan examples/tiger/study.yaml --resolution 50
solved plan.gridworld         plan examples/gridworld/study.yaml -p goal=10 -p mud=-1 -p water=-3
solved plan.first+json        plan examples/planners/maximum-entropy.yaml --occupancy
solved plan.hurried           plan $DIAG $AGENT --tol 0
solved simulate.diag          simulate $DIAG $AGENT -n 60 --seed 3 --max-steps 30 -o logs.csv
solved simulate.neutral       simulate $DIAG $NEUTRAL -n 60 --seed 4 --max-steps 30 -o neutral.csv
solved simulate.stdout        simulate $DIAG $AGENT -n 3 --seed 3 --max-steps 9 -o -
solved simulate.memory        simulate examples/memory/study.yaml $AGENT --resolution 6 -n 40 --seed 3 -o memory.csv
solved simulate.gridworld     simulate examples/gridworld/study.yaml -p goal=10 -p mud=-1 -p water=-3 -n 12 --max-steps 12 -o grid.csv
solved simulate.low           simulate classes.yaml -p alpha=0.5 -n 40 --seed 6 --start low --resolution 12 -o low.csv
solved simulate.high          simulate classes.yaml -p alpha=2 -n 40 --seed 7 --start high --resolution 12 -o high.csv
solved plan.classes+json      plan classes.yaml -p alpha=0.5 --start high --history monitor:positive --occupancy --resolution 12
unkept check.classes          check classes.yaml
solved simulate.machine       simulate $INVERSE/maximum-margin.yaml -p output=0.4 -p effort=0.1 -p price=0.5 -n 20 --max-steps 10 -o machine.csv
solved simulate.corridor      simulate $INVERSE/regularized-maximum-margin.yaml -p goal=2 -p wetness=-1 -n 20 --max-steps 10 -o corridor.csv
solved simulate.repairs       simulate $INVERSE/soft-policy-matching.yaml -n 20 --max-steps 10 -p repairing=-5 -o repairs.csv
solved count.states+json      count grid.csv --study examples/gridworld/study.yaml --top 2
solved count.visits+json      count examples/logs/visits.csv --study examples/logs/study.yaml
solved count.by+json          count examples/logs/visits.csv --study examples/logs/study.yaml --by site
unkept count.plain+json       count logs.csv --top 3
solved count.tree             count logs.csv --study $DIAG -o logs.tree
unkept count.trees+json       count logs.tree logs.tree
solved count.stdin            count - --top 2 < logs.csv
solved check.logs+json        check $DIAG logs.csv $AGENT --map time=t
solved learn-world+json       learn-world examples/rust/study.yaml buses.csv --unseen stay -o rust.yaml
solved convert.states         convert rust.yaml rust.drn -p RC=10 -p theta=3
solved learn-world.some       learn-world examples/rust/study.yaml buses.csv --where make=a --prior 1
"""

FITS = """
drawn  fit.nuts               fit $DIAG logs.csv -o nuts $SHORT $COARSE -p eta=0 --method nuts
drawn  fit.auto               fit $DIAG logs.csv -o fit $SHORT $COARSE -p eta=0
drawn  fit.again              fit $DIAG logs.csv -o fit --method map $COARSE -p eta=0
drawn  fit.force.json         fit $DIAG logs.csv -o fit $SHORT $COARSE -p eta=0 --force --json
drawn  fit.metropolis         fit $DIAG logs.csv -o walk $SHORT $COARSE -p eta=0 -p beta=inf --method metropolis --no-sensitivity
drawn  fit.ridge              fit $DIAG logs.csv -o ridge --draws 50 --chains 2 $COARSE -p eta=0 -p beta=inf --method ridge --no-sensitivity
drawn  fit.map                fit $DIAG logs.tree -o map --method map --starts 2 $COARSE -p eta=0
drawn  fit.ml                 fit $DIAG logs.csv -o ml --method ml --starts 2 $COARSE -p eta=0 --no-sensitivity --json
drawn  fit.published          fit $DIAG logs.csv -o published --method published --warmup 5 --draws 10 $COARSE --seed 2
drawn  fit.by                 fit $DIAG sites.csv -o by --by site $SHORT $COARSE -p eta=0 -p beta=1.25 --no-sensitivity
unkept fit.where.json         fit $DIAG sites.csv -o where --where site=north --method map --starts 1 $COARSE -p eta=0 --no-sensitivity --json
drawn  fit.visits             fit $VISITS -o visits $SHORT --no-sensitivity --resolution 12
drawn  fit.memory             fit examples/memory/study.yaml memory.csv -o memory --chains 2 --warmup 10 --draws 10 --starts 1 --resolution 4 -p beta=inf -p eta=0 --no-sensitivity
drawn  fit.classes            fit classes.yaml classes.csv -o classes --by site $SHORT --resolution 12 --no-sensitivity
drawn  fit.rivals             fit even.yaml even.csv -o rivals $SHORT --no-sensitivity
drawn  fit.gridworld          fit examples/gridworld/study.yaml grid.csv -o grid --method map --starts 1 --no-sensitivity
drawn  fit.rust               fit rust.yaml buses.csv -o rust --method ml --starts 1 --no-sensitivity
drawn  fit.distance           fit $INVERSE/distance-minimization.yaml $INVERSE/distance-minimization.csv -o inverse-1 --starts 1
drawn  fit.pairs              fit $INVERSE/preference-extrapolation.yaml $INVERSE/preference-extrapolation.csv -o inverse-2 --starts 1
drawn  fit.perturbation       fit $INVERSE/minimum-perturbation.yaml $INVERSE/minimum-perturbation.csv -o inverse-3 --starts 1
drawn  fit.experiments        fit $INVERSE/multiple-experimentation.yaml $INVERSE/multiple-experimentation.csv -o inverse-4 --starts 1
drawn  fit.margin             fit $INVERSE/maximum-margin.yaml machine.csv -o inverse-6 --starts 1
drawn  fit.distribution       fit $INVERSE/distribution-matching.yaml machine.csv -o inverse-7 --starts 1
drawn  fit.regularized        fit $INVERSE/regularized-maximum-margin.yaml corridor.csv -o inverse-8 --starts 1
drawn  fit.repairs            fit $INVERSE/soft-policy-matching.yaml repairs.csv -o inverse-9 --starts 1 --method ml
drawn  fit.misfit             fit one.yaml logs.csv -o misfit --method map --starts 1 $COARSE -p cost=-9 --no-sensitivity
drawn  fit.learner            fit $INVERSE/soft-policy-inversion.yaml $INVERSE/soft-policy-inversion.csv -o inverse-5 --starts 1
"""

QUESTIONS = """
drawn  summary+json           summary fit
unkept summary.ascii          summary fit
unkept plan.ascii             plan $DIAG $AGENT --resolution 12
drawn  summary.map            summary map
drawn  summary.by             summary by
drawn  summary.visits         summary visits
drawn  summary.ml             summary ml
unkept summary.classes+json   summary classes
unkept outcomes.classes+json  outcomes classes/west --draws 3 -n 10
unkept predict.classes+json   predict classes/west --draws 5 --replicates 20 --simulated 5
unkept predict.rust           predict rust --replicates 20
drawn  explain.states+json    explain rust --seed 1 --max-steps 4
drawn  explain.classes        explain classes/west classes.csv --subject west1 --episode west-high-9 --draws 5
drawn  sensitivity.rivals     sensitivity rivals
unkept sensitivity.west       sensitivity classes/west --vary wrong --vary worlds --points 2 --draws 0 --starts 1
drawn  compare.classes+json   compare classes --draws 4 -n 8 --max-steps 10
unkept compare.folders        compare by/south by/north --first north --draws 4 -n 8 --max-steps 10
unkept compare.subjects+json  compare visits --logs examples/logs/visits.csv
drawn  identify.study         identify one.yaml logs.csv --draws 0 --against $DIAG --rival-logs 200 --starts 1 $COARSE
unkept evaluate.visits        evaluate $VISITS --folds 2 --starts 1 --resolution 12
drawn  outcomes+json          outcomes fit --draws 5 -n 20 --seed 2
unkept outcomes.visits        outcomes visits --draws 3 -n 10 --max-steps 6
unkept outcomes.rust+json     outcomes rust --draws 2 -n 5 --max-steps 5
drawn  predict+json           predict fit --draws 10 --replicates 30 --simulated 10 --bins 4
unkept predict.visits+json    predict visits --draws 10 --replicates 30 --simulated 10
drawn  sensitivity+json       sensitivity fit --vary wrong=-30:-42 --points 2 --draws 10 --starts 1 > sensitivity.txt
drawn  sensitivity.table      sensitivity map --vary discount --vary worlds --points 2 --draws 0 --starts 1 -o sensitivity.csv
drawn  explain+json           explain fit --seed 3 --draws 10
drawn  predict.misfit+json    predict misfit --replicates 400 --simulated 10
drawn  explain.tree           explain fit logs.tree --find belated --top 3 --draws 5
drawn  explain.history+json   explain fit --history monitor:positive,monitor:positive --draws 10
drawn  explain.logs           explain visits examples/logs/visits.csv --subject P03 --draws 10
drawn  explain.belated+json   explain fit logs.csv --find belated --top 3 --draws 5
unkept explain.surprising     explain fit logs.csv --find surprising --top 3 --draws 5
drawn  identify.design+json   identify $DIAG $AGENT -n 40 --max-steps 20 --rival-logs 300 --against optimism=0 $SHORT $COARSE
drawn  identify.logs          identify $DIAG logs.csv -p eta=0 --draws 0 --against optimism=0 --rival-logs 300 --starts 2 $COARSE
drawn  compare.groups+json    compare by --draws 5 -n 10 --max-steps 10
drawn  compare.models+json    compare fit walk --logs logs.csv
drawn  compare.future+json    compare visits --logs examples/logs/visits.csv --future 2 -q
drawn  compare.maximum        compare map --logs logs.csv
drawn  compare.tables         compare fit --logs logs.csv --unit episode -o compared
drawn  compare.pointwise      compare fit --logs logs.csv --pointwise compared/pointwise.csv
drawn  compare.draws          compare fit --logs logs.csv --pointwise compared/log_lik-1.csv
drawn  evaluate+json          evaluate $DIAG $INVERSE/../diag/rewards.yaml logs.csv --folds 2 --starts 1 $COARSE
drawn  project                project $DIAG logs.csv -o projection --folds 2 --starts 1 $COARSE -p eta=0
drawn  project.json           project $DIAG logs.csv -o projection --folds 2 --starts 1 $COARSE -p eta=0 --force --json
drawn  recover+json           recover one.yaml $FEW -p alpha=0.5 --draws 20
drawn  recover.noted.json     recover one.yaml $FEW --draws 20 --json -o recovered
drawn  recover.resumed        recover one.yaml $FEW --draws 20 -o recovered
drawn  sbc                    sbc one.yaml $FEW --bins 4 --draws 19
drawn  sbc.wrong              sbc one.yaml $FEW --bins 4 --draws 19 --wrong-prior 0.5
drawn  sbc.noted.json         sbc one.yaml $FEW --bins 4 --draws 19 -o calibrated --json > sbc.json
"""

REPORTS = """
drawn  report                 report fit -o page.html --figures figures --truth alpha=0.5
drawn  report.with            report fit -o with.html --min-cell 0 --with sensitivity.json --with recover.json --with sbc.json --with evaluate.json
drawn  report.subject         report visits examples/logs/visits.csv --identify --subject P03 -o subject.html
drawn  report.by              report by -o by.html --with compare.groups.json
drawn  report.memory          report memory -o triangle.html --min-cell 0 --figures triangle
drawn  report.classes         report classes -o classes.html --figures groups --min-cell 0 --with compare.classes.json
drawn  report.rivals          report rivals -o rivals.html --min-cell 0
unkept report.gridworld       report grid -o grid.html
drawn  report.map             report map -o map.html
unkept report.misfit          report misfit -o misfit.html
drawn  report.published       report published -o published.html
drawn  report.rust            report rust -o rust.html --min-cell 0
drawn  report.inverse         report inverse-1 -o inverse.html
"""

REFUSED = """
solved no.command             chekc $DIAG
solved no.nothing
solved no.study               check nowhere.yaml
solved no.logs                fit $DIAG nowhere.csv -o nowhere
solved no.flag                plan $DIAG --belif 0.5,0.5
solved no.value               plan $DIAG
solved no.number              simulate $DIAG -n many -o many.csv
solved no.belief              plan $DIAG $AGENT -b 0.5,0.6
solved no.action              plan $DIAG $AGENT --history wait:positive
solved no.parameter           plan $DIAG -p alhpa=0.5
solved no.key+json            check misspelt.yaml
solved no.sum+json            check unlikely.yaml
solved no.label+json          check $DIAG mislabelled.csv
solved no.fit                 summary nowhere
solved no.folder              outcomes examples
solved no.subject             explain visits examples/logs/visits.csv --subject nobody --draws 2
solved no.groups              compare fit
solved no.page                report nowhere -o page.html
solved no.with                report fit -o page.html --with misspelt.yaml
solved no.vary                sensitivity fit --vary wrogn
solved no.rival               identify $DIAG logs.csv -p eta=0 --against optimsm=0 --draws 0
solved no.tree                count damaged.tree
solved no.where               fit $DIAG sites.csv -o nothing --where site=nrth -p eta=0
solved no.truth               identify one.yaml
solved no.range               sensitivity map --vary wrong=-30:
solved no.preset              list presetz
solved no.start               plan classes.yaml -p alpha=1 --start middle
solved no.learn               learn-world $DIAG logs.csv
"""


# Likelihood and prior are even in optimism: there are two explanations.
EVEN = """asif: 1
title: even
states: [go, p1, p2, m1, m2]
actions: [A, B]
environment:
  start: go
  terminal: [p1, p2, m1, m2]
  transitions:
    A: {go: {p1: 0.6666666667, m2: 0.3333333333}, p1: p1, p2: p2, m1: m1, m2: m2}
    B: {go: {p2: 0.3333333333, m1: 0.6666666667}, p1: p1, p2: p2, m1: m1, m2: m2}
agent:
  discount: 0.9
  worlds:
    - transitions: {A: {go: p1, p1: p1, p2: p2, m1: m1, m2: m2}, B: {go: p2, p1: p1, p2: p2, m1: m1, m2: m2}}
    - transitions: {A: {go: p1, p1: p1, p2: p2, m1: m1, m2: m2}, B: {go: m1, p1: p1, p2: p2, m1: m1, m2: m2}}
    - transitions: {A: {go: m2, p1: p1, p2: p2, m1: m1, m2: m2}, B: {go: m1, p1: p1, p2: p2, m1: m1, m2: m2}}
  utility:
    any: {go: 0, p1: 1, p2: 2, m1: -1, m2: -2}
  parameters: {alpha: 0.3, optimism: learn, eta: 0}
"""


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def prepare(examples):
    """The folder before the first case."""
    shutil.copytree(examples, "examples")
    with open("examples/diag/study.yaml") as file:
        diag = file.read()
    write("misspelt.yaml", diag.replace("emissions:", "emisions:", 1))
    write("unlikely.yaml", diag.replace("[0.7, 0.3]", "[0.7, 0.4]", 1))
    write("one.yaml", diag.replace("beta:  learn", "beta: 1.25").replace("eta:   learn", "eta: 0"))
    write("classes.yaml", diag.replace("start: [0.5, 0.5]", "start: {by: risk, low: [0.8, 0.2], high: [0.4, 0.6]}\n  reset: [0.6, 0.4]")
          .replace("beta:  learn", "beta: inf").replace("eta:   learn", "eta: 0")
          .replace("logs: {", "logs: {subject: who, "))
    write("even.yaml", EVEN)
    write("even.csv", "episode,t,state,action\n" + "".join(f"{i},0,go,{'B' if i % 11 < 9 else 'A'}\n" for i in range(110)))
    write("mislabelled.csv", "episode,t,action,observation\n1,0,monitor,positive\n1,1,declare_sick,\n")
    write("damaged.tree", "asif tree\n")
    with open("buses.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["bus_id", "make", "period", "mileage_bin", "replaced"])
        for bus in range(6):
            mileage = 10 * bus
            for period in range(30):
                replaced = int(mileage > 40 + 7 * bus)
                rows.writerow([bus, "ab"[bus % 2], period, mileage, replaced])
                mileage = (0 if replaced else mileage) + (period * (bus + 3) % 7 > 2) + (period % 5 == bus)


def join(path, parts, columns):
    """Logs in one table: parts are (file, prefix of episodes, values of further columns by episode, None: left out)."""
    if not all(os.path.exists(part) for part, _, _ in parts):
        return  # an earlier case failed, and shows it
    with open(path, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        for index, (part, prefix, more) in enumerate(parts):
            with open(part, newline="") as table:
                head, *body = csv.reader(table)
            if not index:
                rows.writerow(head + columns)
            rows.writerows([prefix + row[0], *row[1:], *values] for row in body for values in [more(int(row[0]))] if values)


def between(name):
    """Tables that have to be there before a case and that no command makes: of groups, and of subjects in start classes."""
    if name == "fit.by":
        join("sites.csv", [(file, site, lambda _, site=site: [site])
                           for file, site in (("logs.csv", "north"), ("neutral.csv", "south"))], ["site"])
    if name == "fit.classes":
        join("classes.csv", [(f"{risk}.csv", f"{site}-{risk}-",
                              lambda i, site=site, risk=risk, most=most: [site, risk, f"{site}{i % 8}"] if i < most else None)
                             for site, most in (("east", 40), ("west", 25)) for risk in ("low", "high")],
             ["site", "risk", "who"])


def expand(command):
    for word, meaning in sorted(WORDS.items(), key=lambda item: -len(item[0])):
        command = command.replace("$" + word, meaning)
    return shlex.split(command)


def planners(examples):
    """A case for each example of a planner and each preset."""
    for folder, kind in (("planners", "plan"), ("diag/presets", "check")):
        for file in sorted(os.listdir(os.path.join(examples, folder))):
            name = file.removesuffix(".yaml")
            yield f"{'solved' if kind == 'plan' else 'unkept'} {kind}.{name} {kind} examples/{folder}/{file}"


def help_of(commands):
    yield "solved help --help"
    yield "solved help.help help"
    yield "solved version --version"
    for command in commands:
        yield f"unkept help.{command} help {command}"
        yield f"solved {command}.help {command} --help"
        yield f"solved {command}.bare {command}"


def cases(examples, commands):
    """(name, kind, arguments, file of standard input or None, file of standard output or None)"""
    lines = [*help_of(commands), *SET_UP.splitlines(), *planners(examples), *FITS.splitlines(), *QUESTIONS.splitlines(),
             *REPORTS.splitlines(), *REFUSED.splitlines()]
    for line in filter(None, lines):
        kind, name, *command = line.split(None, 2)
        words = expand(command[0] if command else "")
        source = target = None
        if "<" in words:
            at = words.index("<")
            source, words = words[at + 1], words[:at]
        if ">" in words:
            at = words.index(">")
            target, words = words[at + 1], words[:at]
        plain = name.removesuffix("+json")
        yield plain, kind, words, source, target
        if plain != name:
            yield plain + ".json", kind, words + ["--json"], source, plain + ".json"
