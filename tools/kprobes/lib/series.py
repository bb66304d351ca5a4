# SPDX-License-Identifier: GPL-2.0-only
"""The patch series: the integrated tree in steps, as commits and as patches.

patches/plan says which step holds what.  Each step's tree is worked out like
the integrated tree, from the rules in force and the files that are there; the
trees become commits in a git repository in the cache that holds the base.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field

import cache
import integration
import rules
from progress import Failure, run_logged, step as announce

FOLDER = os.path.join(cache.TOOLS, "patches")
HOME = os.path.join(cache.CACHE, "series")
GIT = os.path.join(HOME, "git")
TREE = os.path.join(HOME, "tree")
PATCHES = os.path.join(HOME, "patches")


@dataclass
class Step:
    """One patch of the series."""
    name: str
    arch: str = ""
    paths: list = field(default_factory=list)
    rules: list = field(default_factory=list)
    # filled in by make():
    plan: object = None
    commit: str = ""
    changed: list = field(default_factory=list)


def _read(*names):
    with open(os.path.join(FOLDER, *names), encoding="utf-8") as file:
        return file.read()


def read_steps():
    """The steps of patches/plan."""
    steps = []
    for number, line in enumerate(_read("plan").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "step" and len(words) == 2:
            steps.append(Step(words[1]))
        elif words[0] == "arch" and len(words) > 1:
            steps.append(Step(words[1], words[1], [f"arch/{words[1]}/**"], words[1:]))
        elif words[0] in ("paths", "rules") and steps:
            getattr(steps[-1], words[0]).extend(words[1:])
        else:
            raise Failure(f"plan:{number}: cannot read '{line}'", f"the grammar is at the top of {FOLDER}/plan")
    return steps


def _rules_files():
    """Rules of the integration: name -> statements."""
    folder = os.path.join(cache.TOOLS, "rules")
    result = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".rules"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                result[name[:-len(".rules")]] = rules.parse(file.read(), name)
    return result


def _is_at(path, patterns):
    return any(rules.matches_glob(path, pattern) for pattern in patterns)


def _place(path, steps):
    """Number of the step that has a file of ours."""
    found = [i for i, step in enumerate(steps) if path in step.paths]
    found = found or [i for i, step in enumerate(steps) if _is_at(path, step.paths)]
    if not found:
        raise Failure(f"our file {path} is in no step of the series",
                      f"add its path to a step in {FOLDER}/plan ('arch NAME' for an architecture)")
    return found[-1]


_NO_SELECT = """
edit arch/{arch}/Kconfig
  drop /^\\tselect HAVE_(KPROBES|KRETPROBES|OPTPROBES|KPROBES_ON_FTRACE)( if .*)?$/ times any
"""


def _until(step):
    """Edits in force before a step only."""
    text = _NO_SELECT.format(arch=step.arch) if step.arch else ""
    if os.path.exists(os.path.join(FOLDER, "until", step.name + ".rules")):
        text = _read("until", step.name + ".rules") + text
    return rules.parse(text, f"until/{step.name}.rules")


def _apply_until(plan, edits, used):
    for edit in edits:
        known = edit.path in plan.content
        if plan.content.get(edit.path, b"") is None or not (
                known or os.path.exists(plan.base_path(edit.path))):
            continue
        plan.edit(edit)
        plan.content[edit.path] = plan.content[edit.path].rstrip(b"\n") + b"\n"
        used.add(edit.where)


def _step_plan(number, steps, by_name, places):
    """The tree after a step, before the edits that are in force only for a while."""
    in_force = [name for step in steps[:number + 1] for name in step.rules]
    statements = [rule for name, rule_list in by_name.items() for rule in rule_list
                  if name in in_force or isinstance(rule, (rules.Delete, rules.Copy))]
    plan = integration.make_plan(cache.BASE, cache.REPO, statements)
    gone = _deleted(steps[:number + 1], by_name)
    for path in list(plan.content):
        if places.get(path, 0) > number or plan.content[path] is None:
            if path in gone:
                plan.content[path] = None
            else:
                del plan.content[path]
    return plan


def _deleted(steps, by_name):
    """What the base has, and the rules of these steps delete."""
    return {path for step in steps for name in step.rules for rule in by_name[name]
            if isinstance(rule, rules.Delete) for path in rules.glob_files(cache.BASE, rule.pattern)}


def make_plans(whole):
    """The steps with their plans; 'whole' is the plan of the integrated tree."""
    steps, by_name = read_steps(), _rules_files()
    listed = [name for step in steps for name in step.rules]
    for name in by_name:
        if listed.count(name) != 1:
            raise Failure(f"rules/{name}.rules is in {listed.count(name)} steps of the series, must be in one",
                          f"see 'rules' and 'arch' in {FOLDER}/plan")
    ours = [path for path, content in whole.content.items()
            if content is not None and os.path.isfile(os.path.join(cache.REPO, path)) and path != "MAINTAINERS"]
    places = {path: _place(path, steps) for path in ours}
    used, wanted = set(), set()
    for number, step in enumerate(steps):
        step.plan = _step_plan(number, steps, by_name, places)
        for later in steps[number + 1:]:
            edits = _until(later)
            wanted.update(edit.where for edit in edits)
            _apply_until(step.plan, edits, used)
    if wanted - used:
        raise Failure("never in force: " + ", ".join(sorted(wanted - used)), "does the file exist?")
    if steps[-1].plan.content != whole.content:
        raise Failure("the last step of the series is not the integrated tree")
    return steps


# ---- git -------------------------------------------------------------------

def git(*arguments, data=None, index=None, folder=None, check=True):
    """Run git on the series' repository, or in the tree; returns its output."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    name, mail = maintainer()
    for role in ("AUTHOR", "COMMITTER"):
        environment.update({f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": mail, f"GIT_{role}_DATE": _date()})
    if index:
        environment["GIT_INDEX_FILE"] = index
    command = ["git", "-c", "core.autocrlf=false", "-c", "safe.directory=*", "-c", "commit.gpgsign=false",
               "-c", "gc.auto=0"]
    command += ["-C", folder] if folder else ["--git-dir", GIT]
    done = subprocess.run(command + list(arguments), input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment, check=False)
    if check and done.returncode:
        raise Failure(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}",
                      f"rm -rf {HOME} and start again")
    return done.stdout.decode("utf-8", "surrogateescape").strip() if check else done


def maintainer():
    """Name and address to sign with: who our entry in MAINTAINERS names first."""
    with open(os.path.join(cache.REPO, "MAINTAINERS"), encoding="utf-8") as file:
        return re.search(r"^M:\s+(.+?)\s+<(.+)>$", file.read(), re.M).groups()


def _date():
    """The patches' date: fixed, so that the same files make the same patches."""
    return "2022-12-12T00:00:00Z"


def prepare_base():
    """The base as a commit; it is read once."""
    identity = repr(integration.base_identity(cache.BASE)) + "\n"
    stamp = os.path.join(HOME, "base.stamp")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == identity:
                return git("rev-parse", "base")
    log = cache.fresh_log("series-base")
    with announce("read the base into git, once", log):
        shutil.rmtree(HOME, ignore_errors=True)
        os.makedirs(HOME)
        git("init", "-q", "--bare", GIT)
        run_logged(["git", "--git-dir", GIT, "-c", "core.autocrlf=false", "--work-tree", cache.BASE,
                    "add", "-A", "-f", "."], log, "git add", "is the disk full?", cwd=cache.BASE)
        commit = git("commit-tree", "-m", "the base", git("write-tree"))
        git("branch", "-f", "base", commit)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(identity)
    return commit


def _write_tree(plan):
    """A git tree of the base with a plan's paths."""
    index = os.path.join(HOME, "index")
    git("read-tree", "base", index=index)
    lines = []
    for path, content in sorted(plan.content.items()):
        if content is None:
            lines.append(f"0 {'0' * 40}\t{path}")
        else:
            blob = git("hash-object", "-w", "--stdin", data=content)
            mode = "100755" if plan.mode.get(path, 0o644) & 0o100 else "100644"
            lines.append(f"{mode} {blob}\t{path}")
    git("update-index", "--index-info", data=("\n".join(lines) + "\n").encode(), index=index)
    return git("write-tree", index=index)


def message(step):
    """A commit's message."""
    own = os.path.join(FOLDER, "messages", step.name)
    text = _read("messages", step.name if os.path.exists(own) or not step.arch else "arch")
    name, mail = maintainer()
    return text.replace("{arch}", step.arch).rstrip() + f"\n\nSigned-off-by: {name} <{mail}>\n"


def make_commits(steps):
    """Each step as a commit upon the one before."""
    parent = git("rev-parse", "base")
    for step in steps:
        tree = _write_tree(step.plan)
        step.commit = git("commit-tree", tree, "-p", parent, "-F", "-", data=message(step).encode())
        step.changed = git("diff-tree", "-r", "--name-only", "--no-renames", parent, step.commit).splitlines()
        if not step.changed:
            raise Failure(f"step {step.name} of the series changes nothing")
        parent = step.commit
    git("branch", "-f", "series", parent)


def write_patches(steps):
    """The files for git am, numbered; 0000 is the cover letter."""
    shutil.rmtree(PATCHES, ignore_errors=True)
    git("format-patch", "-q", "--cover-letter", "--no-renames", "--no-signature", "-o", PATCHES, "base..series")
    cover = os.path.join(PATCHES, "0000-cover-letter.patch")
    subject, _, body = _read("cover-letter").partition("\n")
    with open(cover, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    text = text.replace("*** SUBJECT HERE ***", subject).replace("*** BLURB HERE ***", body.strip())
    with open(cover, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    names = sorted(os.listdir(PATCHES))
    if len(names) != len(steps) + 1:
        raise Failure(f"{len(names)} files in {PATCHES}, expected {len(steps) + 1}")
    return [os.path.join(PATCHES, name) for name in names]
