"""What the net runs: one line a case, in order, in one folder that begins with a copy of examples/.

    KIND NAME[+json] COMMAND...

KIND says how numbers are held in tests/net/expected (net.py explains it): `solved` for what a formula or a solver to 1e-12
gives, `drawn` for what comes out of a search or a chain; `unkept` cases are for `net.py compare` alone. NAME+json runs the command a second time with --json, as NAME.json.
`> FILE` keeps standard output as a file for later cases, `< FILE` is standard input, $NAME is one of WORDS. Sizes are small:
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
solved check.gridworld        check examples/gridworld/study.yaml
solved check.memory+json      check examples/memory/study.yaml -q
solved check.rust             check examples/rust/study.yaml
solved check.visits+json      check $VISITS
solved check.loglik+json      check $VISITS -p alpha=0.5
solved check.utilities        check examples/diag/utilities.yaml
solved check.rewards          check examples/diag/rewards.yaml
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
solved count.visits+json      count examples/logs/visits.csv --study examples/logs/study.yaml
solved count.by+json          count examples/logs/visits.csv --study examples/logs/study.yaml --by site
solved count.plain+json       count logs.csv --top 3
solved count.tree             count logs.csv --study $DIAG -o logs.tree
solved count.trees+json       count logs.tree logs.tree
solved count.stdin            count - --top 2 < logs.csv
solved check.logs+json        check $DIAG logs.csv $AGENT --map time=t
solved learn-world+json       learn-world examples/rust/study.yaml buses.csv --unseen stay -o rust.yaml
solved learn-world.some       learn-world examples/rust/study.yaml buses.csv --where make=a --prior 1
"""

FITS = """
drawn  fit.nuts               fit $DIAG logs.csv -o fit $SHORT $COARSE -p eta=0
drawn  fit.again              fit $DIAG logs.csv -o fit --method map $COARSE -p eta=0
drawn  fit.force.json         fit $DIAG logs.csv -o fit $SHORT $COARSE -p eta=0 --force --json
drawn  fit.metropolis         fit $DIAG logs.csv -o walk $SHORT $COARSE -p eta=0 -p beta=inf --method metropolis --no-sensitivity
drawn  fit.map                fit $DIAG logs.tree -o map --method map --starts 2 $COARSE -p eta=0
drawn  fit.ml                 fit $DIAG logs.csv -o ml --method ml --starts 2 $COARSE -p eta=0 --no-sensitivity --json
drawn  fit.published          fit $DIAG logs.csv -o published --method published --warmup 5 --draws 10 $COARSE --seed 2
drawn  fit.by                 fit $DIAG sites.csv -o by --by site $SHORT $COARSE -p eta=0 -p beta=1.25 --no-sensitivity
unkept fit.where.json         fit $DIAG sites.csv -o where --where site=north --method map --starts 1 $COARSE -p eta=0 --no-sensitivity --json
drawn  fit.visits             fit $VISITS -o visits $SHORT --no-sensitivity --resolution 12
drawn  fit.memory             fit examples/memory/study.yaml memory.csv -o memory --chains 2 --warmup 10 --draws 10 --starts 1 --resolution 4 -p beta=inf -p eta=0 --no-sensitivity
drawn  fit.gridworld          fit examples/gridworld/study.yaml grid.csv -o grid --method map --starts 1 --no-sensitivity
drawn  fit.rust               fit rust.yaml buses.csv -o rust --method ml --starts 1 --no-sensitivity
drawn  fit.distance           fit $INVERSE/distance-minimization.yaml $INVERSE/distance-minimization.csv -o inverse-1 --starts 1
drawn  fit.pairs              fit $INVERSE/preference-extrapolation.yaml $INVERSE/preference-extrapolation.csv -o inverse-2 --starts 1
drawn  fit.perturbation       fit $INVERSE/minimum-perturbation.yaml $INVERSE/minimum-perturbation.csv -o inverse-3 --starts 1
drawn  fit.experiments        fit $INVERSE/multiple-experimentation.yaml $INVERSE/multiple-experimentation.csv -o inverse-4 --starts 1
drawn  fit.learner            fit $INVERSE/soft-policy-inversion.yaml $INVERSE/soft-policy-inversion.csv -o inverse-5 --starts 1
"""

QUESTIONS = """
drawn  summary+json           summary fit
drawn  summary.map            summary map
drawn  summary.by             summary by
drawn  summary.visits         summary visits
drawn  summary.ml             summary ml
drawn  outcomes+json          outcomes fit --draws 5 -n 20 --seed 2
drawn  outcomes.visits        outcomes visits --draws 3 -n 10 --max-steps 6
drawn  outcomes.rust+json     outcomes rust --draws 2 -n 5 --max-steps 5
drawn  predict+json           predict fit --draws 10 --replicates 30 --simulated 10 --bins 4
drawn  predict.visits+json    predict visits --draws 10 --replicates 30 --simulated 10
drawn  sensitivity+json       sensitivity fit --vary wrong=-30:-42 --points 2 --draws 10 --starts 1 > sensitivity.txt
drawn  sensitivity.table      sensitivity map --vary discount --vary worlds --points 2 --draws 0 --starts 1 -o sensitivity.csv
drawn  explain+json           explain fit --seed 3 --draws 10
drawn  explain.history+json   explain fit --history monitor:positive,monitor:positive --draws 10
drawn  explain.logs           explain visits examples/logs/visits.csv --subject P03 --draws 10
drawn  explain.belated+json   explain fit logs.csv --find belated --top 3 --draws 5
drawn  explain.surprising     explain fit logs.csv --find surprising --top 3 --draws 5
drawn  identify.design+json   identify $DIAG $AGENT -n 40 --max-steps 20 --rival-logs 300 --against optimism=0 $SHORT $COARSE
drawn  identify.logs          identify $DIAG logs.csv -p eta=0 --draws 0 --against optimism=0 --rival-logs 300 --starts 2 $COARSE
drawn  compare.groups+json    compare by --draws 5 -n 10 --max-steps 10
drawn  compare.models+json    compare fit walk --logs logs.csv
drawn  compare.future         compare map --logs logs.csv --future 3
drawn  compare.tables         compare fit --logs logs.csv --unit episode -o compared
drawn  compare.pointwise      compare fit --logs logs.csv --pointwise compared/pointwise.csv
drawn  evaluate+json          evaluate $DIAG $INVERSE/../diag/rewards.yaml logs.csv --folds 2 --starts 1 $COARSE
drawn  project                project $DIAG logs.csv -o projection --folds 2 --starts 1 $COARSE -p eta=0
drawn  project.json           project $DIAG logs.csv -o projection --folds 2 --starts 1 $COARSE -p eta=0 --force --json
drawn  recover+json           recover one.yaml $FEW -p alpha=0.5 --method map
drawn  recover.noted.json     recover one.yaml $FEW --draws 20 --json -o recovered
drawn  recover.resumed        recover one.yaml $FEW --draws 20 -o recovered
drawn  sbc                    sbc one.yaml $FEW --bins 4 --draws 19
drawn  sbc.noted.json         sbc one.yaml $FEW --bins 4 --draws 19 -o calibrated --json > sbc.json
"""

REPORTS = """
drawn  report                 report fit -o page.html --figures figures --truth alpha=0.5
drawn  report.with            report fit -o with.html --min-cell 0 --with sensitivity.json --with recover.json --with sbc.json --with evaluate.json
drawn  report.subject         report visits examples/logs/visits.csv --identify --subject P03 -o subject.html
drawn  report.by              report by -o by.html --with compare.groups.json
drawn  report.memory          report memory -o triangle.html --min-cell 0
drawn  report.map             report map -o map.html
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
solved no.learn               learn-world $DIAG logs.csv
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


def between(name):
    """What has to be there before a case and no command makes: two groups in one table."""
    if name != "fit.by":
        return
    with open("sites.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        for index, (site, path) in enumerate((("north", "logs.csv"), ("south", "neutral.csv"))):
            with open(path, newline="") as part:
                head, *body = csv.reader(part)
            if not index:
                rows.writerow(head + ["site"])
            rows.writerows([site + row[0], *row[1:], site] for row in body)


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
