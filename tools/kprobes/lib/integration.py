# SPDX-License-Identifier: GPL-2.0-only
"""Work out what the integrated tree holds, and bring a folder to that state.

The plan maps each path the rules touch to its wanted content, or to None for
a path that must not exist.  Every other path is the base's.  Bringing a
folder to the plan writes only the files whose content differs, so that a
rebuild compiles only what changed; the list of touched paths is remembered in
the folder, so that a path the rules no longer touch becomes the base's again.
"""

import json
import os
import shutil
import subprocess

import rules

STATE = ".kprobes-integration.json"


class Plan:
    """Paths the rules touch: content (bytes), mode, and why."""

    def __init__(self, base, repo):
        self.base, self.repo = base, repo
        self.content = {}
        self.mode = {}
        self.log = []

    def base_path(self, path):
        return os.path.join(self.base, path)

    def delete(self, rule):
        found = rules.glob_files(self.base, rule.pattern)
        if not found:
            raise rules.RuleError(f"{rule.where}: delete {rule.pattern}: the base has no such file")
        for path in found:
            self.content[path] = None
            self.log.append(f"delete  {path}")

    def edit(self, rule):
        if self.content.get(rule.path, b"") is None:
            raise rules.RuleError(f"{rule.where}: edit {rule.path}: another rule deletes it")
        content = self.content.get(rule.path)
        if content is None:
            try:
                with open(self.base_path(rule.path), "rb") as file:
                    content = file.read()
            except FileNotFoundError:
                raise rules.RuleError(
                    f"{rule.where}: edit {rule.path}: the base has no such file") from None
            self.mode[rule.path] = os.stat(self.base_path(rule.path)).st_mode & 0o777
        text = content.decode("utf-8", "surrogateescape")
        text = rules.apply_edit(text, rule, self._read_repo_file)
        self.content[rule.path] = text.encode("utf-8", "surrogateescape")
        self.log.append(f"edit    {rule.path} ({len(rule.actions)} changes)")

    def copy(self, rule):
        for path in repo_files(self.repo, rule.directory):
            if self.content.get(path) is not None:
                raise rules.RuleError(f"{rule.where}: our {path} would replace a file that a rule edits")
            if path not in self.content and os.path.lexists(self.base_path(path)):
                raise rules.RuleError(
                    f"{rule.where}: our {path} would replace a file of the base; "
                    f"say so with 'delete {path}'")
            source = os.path.join(self.repo, path)
            with open(source, "rb") as file:
                self.content[path] = file.read()
            self.mode[path] = 0o755 if os.access(source, os.X_OK) else 0o644
            self.log.append(f"copy    {path}")

    def _read_repo_file(self, path):
        with open(os.path.join(self.repo, path), encoding="utf-8") as file:
            return file.read()


def repo_files(repo, directory):
    """Our files below a directory: what git knows or would add, else all."""
    if not os.path.isdir(os.path.join(repo, directory)):
        return []
    if os.path.exists(os.path.join(repo, ".git")):
        output = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", repo, "ls-files", "-z", "--cached", "--others",
             "--exclude-standard", "--", directory],
            check=True, stdout=subprocess.PIPE).stdout
        paths = sorted(set(os.fsdecode(p) for p in output.split(b"\0") if p))
        return [p for p in paths if os.path.isfile(os.path.join(repo, p))]
    found = []
    for top, _, files in os.walk(os.path.join(repo, directory)):
        found += [os.path.relpath(os.path.join(top, name), repo) for name in files]
    return sorted(found)


def read_rules(folder):
    """All *.rules files of a folder, in the order of their names."""
    names = sorted(n for n in os.listdir(folder) if n.endswith(".rules"))
    if not names:
        raise rules.RuleError(f"no *.rules file in {folder}")
    result = []
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            result += rules.parse(file.read(), name)
    return result


def make_plan(base, repo, rule_list):
    """Deletions first, then edits, then our files: order in files is free."""
    plan = Plan(base, repo)
    for kind, method in ((rules.Delete, plan.delete), (rules.Edit, plan.edit), (rules.Copy, plan.copy)):
        for rule in rule_list:
            if isinstance(rule, kind):
                method(rule)
    return plan


def _write_if_different(path, content, mode):
    try:
        with open(path, "rb") as file:
            if file.read() == content and os.stat(path).st_mode & 0o777 == mode:
                return False
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = path + ".kprobes-new"
    with open(temporary, "wb") as file:
        file.write(content)
    os.chmod(temporary, mode)
    os.replace(temporary, path)
    return True


def _remove(out, path):
    full = os.path.join(out, path)
    if not os.path.lexists(full):
        return False
    os.remove(full)
    folder = os.path.dirname(full)
    while folder != out and not os.listdir(folder):
        os.rmdir(folder)
        folder = os.path.dirname(folder)
    return True


def _restore(out, base, path):
    """Make a path what it is in the base."""
    source = os.path.join(base, path)
    if not os.path.lexists(source):
        return _remove(out, path)
    with open(source, "rb") as file:
        return _write_if_different(os.path.join(out, path), file.read(), os.stat(source).st_mode & 0o777)


def _read_state(out):
    try:
        with open(os.path.join(out, STATE), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def _write_state(out, state):
    with open(os.path.join(out, STATE), "w", encoding="utf-8") as file:
        json.dump(state, file, indent=1)


def base_identity(base):
    """What tells one unpacked base from another."""
    stamp = os.path.join(base, "Makefile")
    with open(stamp, encoding="utf-8") as file:
        head = [file.readline().strip() for _ in range(5)]
    return head + [os.path.realpath(base)]


def _fresh_copy(base, out):
    parent = os.path.dirname(os.path.abspath(out))
    os.makedirs(parent, exist_ok=True)
    partial = out + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", base, partial], check=True)
    os.rename(partial, out)


def bring_to_plan(out, base, plan):
    """Create or update 'out'; returns the paths that changed."""
    identity = base_identity(base)
    if os.path.exists(out):
        state = _read_state(out)
        if state is None:
            raise rules.RuleError(f"{out} exists and was not made by this program: "
                                  "name another folder, or remove it")
        if state["base"] != identity:
            shutil.rmtree(out)
    if not os.path.exists(out):
        _fresh_copy(base, out)
        _write_state(out, {"base": identity, "touched": []})
        state = {"touched": []}
    # Remember the union first: an interrupted run is then repaired by the next.
    touched = sorted(set(state["touched"]) | set(plan.content))
    _write_state(out, {"base": identity, "touched": touched})
    changed = []
    for path in touched:
        if path not in plan.content:
            done = _restore(out, base, path)
        elif plan.content[path] is None:
            done = _remove(out, path)
        else:
            done = _write_if_different(os.path.join(out, path), plan.content[path],
                                       plan.mode.get(path, 0o644))
        if done:
            changed.append(path)
    _write_state(out, {"base": identity, "touched": sorted(plan.content)})
    return changed
