# SPDX-License-Identifier: GPL-2.0-only
"""The integration rules: how they are written, and what they do to a tree.

A rules file says, in words and anchors, how the base tree changes.  It holds
no text of the base beyond the lines it looks for.  Grammar (one statement a
line, '#' starts a comment line):

    delete PATTERN              remove the base files that match (shell
                                wildcards, '**' for any depth)
    copy DIR...                 copy what our repository has below DIR
    edit FILE                   the statements that follow change FILE

  and below an edit:

    after ANCHOR                add the text after each matching line
    before ANCHOR               add the text before each matching line
    replace RANGE               put the text in place of the lines
    drop RANGE                  remove the lines
    substitute ANCHOR "TEXT"    replace the matching part of the line; \\1..\\9
                                stand for the groups of the expression
    append                      add the text at the end of the file

    ANCHOR  /regex/             a Python regular expression, searched for in
                                each line; write \\/ for a slash
    RANGE   /regex/             that line alone
            /regex/ to /end/    from the line to the next one matching end
            /regex/ until /end/ the same without the end line

  Any of them may end with

    times N | times any         how many places must match (default: 1;
                                'any' is one or more)
    within /from/ to /end/      look only between these two lines (which must
                                themselves be found exactly once)

  The text is the lines that follow and start with '|' (one blank after it is
  part of the mark), or

    with file PATH              at the end of the statement: the text is the
                                content of that file of our repository.

An anchor that matches nothing, or another number of times than stated, stops
the integration: the base has changed and a person has to look.
"""

import fnmatch
import os
import re
from dataclasses import dataclass, field


class RuleError(Exception):
    """A rule that cannot be read, or does not fit the tree."""


@dataclass
class Action:
    """One statement below an 'edit'."""
    verb: str
    where: str                      # "file.rules:12", for messages
    anchor: str = None
    end: str = None
    end_included: bool = True
    times: object = 1               # a number, or "any"
    within: tuple = None
    substitute: str = None
    text: list = field(default_factory=list)
    text_file: str = None


@dataclass
class Delete:
    pattern: str
    where: str


@dataclass
class Copy:
    directory: str
    where: str


@dataclass
class Edit:
    path: str
    where: str
    actions: list = field(default_factory=list)


_TOKEN = re.compile(r'\s*(?:/((?:[^/\\]|\\.)+)/|"((?:[^"\\]|\\.)*)"|(\S+))')


def _tokens(line, where):
    """Split a statement into ('regex'|'text'|'word', value) pairs."""
    result, pos = [], 0
    line = line.rstrip()
    while pos < len(line):
        match = _TOKEN.match(line, pos)
        if not match:
            raise RuleError(f"{where}: cannot read '{line[pos:]}'")
        regex, text, word = match.groups()
        if regex is not None:
            result.append(("regex", regex.replace("\\/", "/")))
        elif text is not None:
            result.append(("text", text.replace('\\"', '"')))
        else:
            result.append(("word", word))
        pos = match.end()
    return result


class _Statement:
    """Takes the tokens of a statement one after the other."""

    def __init__(self, line, where):
        self.tokens = _tokens(line, where)
        self.where = where
        self.line = line.strip()

    def fail(self, wanted):
        raise RuleError(f"{self.where}: expected {wanted} in '{self.line}'")

    def take(self, kind, wanted):
        if not self.tokens or self.tokens[0][0] != kind:
            self.fail(wanted)
        return self.tokens.pop(0)[1]

    def take_regex(self):
        regex = self.take("regex", "a /regular expression/")
        try:
            re.compile(regex)
        except re.error as error:
            raise RuleError(f"{self.where}: /{regex}/: {error}") from None
        return regex

    def take_word(self, *words):
        """Take the next token if it is one of the words."""
        if self.tokens and self.tokens[0][0] == "word" and self.tokens[0][1] in words:
            return self.tokens.pop(0)[1]
        return None

    def finish(self):
        if self.tokens:
            self.fail(f"nothing more after what was read, found '{self.tokens[0][1]}'")


_VERBS = ("after", "before", "replace", "drop", "substitute", "append")
_VERBS_WITH_TEXT = ("after", "before", "replace", "append")


def _parse_action(line, where):
    statement = _Statement(line, where)
    verb = statement.take_word(*_VERBS)
    action = Action(verb, where)
    if verb != "append":
        action.anchor = statement.take_regex()
    if verb in ("replace", "drop"):
        word = statement.take_word("to", "until")
        if word:
            action.end = statement.take_regex()
            action.end_included = word == "to"
    if verb == "substitute":
        action.substitute = statement.take("text", 'a "text"')
    while statement.tokens:
        if statement.take_word("times"):
            count = statement.take("word", "a number or 'any'")
            if count != "any" and not count.isdigit():
                statement.fail("a number or 'any' after 'times'")
            action.times = count if count == "any" else int(count)
        elif statement.take_word("within"):
            start = statement.take_regex()
            if not statement.take_word("to"):
                statement.fail("'to' after 'within /from/'")
            action.within = (start, statement.take_regex())
        elif verb in _VERBS_WITH_TEXT and statement.take_word("with"):
            if not statement.take_word("file"):
                statement.fail("'with file PATH'")
            action.text_file = statement.take("word", "a path")
        else:
            statement.finish()
    return action


def parse(text, name):
    """Read a rules file; returns Delete, Copy and Edit objects in its order."""
    rules, edit, action = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{name}:{number}"
        stripped = line.strip()
        if stripped.startswith("|"):
            if action is None or action.verb not in _VERBS_WITH_TEXT or action.text_file:
                raise RuleError(f"{where}: text that belongs to no statement")
            body = stripped[1:] if not line.lstrip().startswith("| ") else line.lstrip()[2:]
            action.text.append(body.rstrip("\n"))
            continue
        if not stripped or stripped.startswith("#"):
            continue
        verb = stripped.split()[0]
        _check_text(action)
        if verb == "delete":
            action = edit = None
            rules += [Delete(p, where) for p in stripped.split()[1:]]
        elif verb == "copy":
            action = edit = None
            rules += [Copy(d.rstrip("/"), where) for d in stripped.split()[1:]]
        elif verb == "edit":
            if len(stripped.split()) != 2:
                raise RuleError(f"{where}: 'edit' takes one file")
            action, edit = None, Edit(stripped.split()[1], where)
            rules.append(edit)
        elif verb in _VERBS:
            if edit is None:
                raise RuleError(f"{where}: '{verb}' without an 'edit FILE' before it")
            action = _parse_action(stripped, where)
            edit.actions.append(action)
        else:
            raise RuleError(f"{where}: unknown statement '{verb}'")
    _check_text(action)
    return rules


def _check_text(action):
    if action and action.verb in _VERBS_WITH_TEXT and not action.text and not action.text_file:
        raise RuleError(f"{action.where}: '{action.verb}' needs text ('|' lines or 'with file')")


def _find_once(lines, regex, action, start=0):
    found = [i for i in range(start, len(lines)) if re.search(regex, lines[i])]
    if len(found) != 1 and start == 0:
        raise RuleError(f"{action.where}: 'within /{regex}/' matches {len(found)} lines, not 1")
    if not found:
        raise RuleError(f"{action.where}: no line matches the end /{regex}/")
    return found[0]


def _scope(lines, action):
    """First and one-past-last line an action may look at."""
    if not action.within:
        return 0, len(lines)
    first = _find_once(lines, action.within[0], action)
    last = _find_once(lines, action.within[1], action, first + 1)
    return first, last + 1


def _matches(lines, action, path):
    first, last = _scope(lines, action)
    found = [i for i in range(first, last) if re.search(action.anchor, lines[i])]
    wanted = action.times
    if (wanted == "any" and not found) or (wanted != "any" and len(found) != wanted):
        places = ", ".join(str(i + 1) for i in found) or "none"
        raise RuleError(
            f"{action.where}: /{action.anchor}/ matches {len(found)} lines of {path}, "
            f"expected {wanted} (lines: {places})")
    return found


def _range_end(lines, start, action, path):
    """One past the last line of the range that begins at 'start'."""
    if action.end is None:
        return start + 1
    for i in range(start + 1, len(lines)):
        if re.search(action.end, lines[i]):
            return i + 1 if action.end_included else i
    raise RuleError(f"{action.where}: no line of {path} after {start + 1} matches the "
                    f"end of the range, /{action.end}/")


def apply_action(lines, action, path, read_file=None):
    """Return the lines after one action."""
    text = action.text
    if action.text_file:
        text = read_file(action.text_file).splitlines()
    if action.verb == "append":
        return lines + text
    result = list(lines)
    for i in reversed(_matches(lines, action, path)):
        if action.verb == "after":
            result[i + 1:i + 1] = text
        elif action.verb == "before":
            result[i:i] = text
        elif action.verb == "substitute":
            result[i] = re.sub(action.anchor, action.substitute, result[i])
        else:
            end = _range_end(result, i, action, path)
            result[i:end] = text if action.verb == "replace" else []
    return result


def apply_edit(content, edit, read_file=None):
    """Return the content of a file after all actions of an edit."""
    lines = content.split("\n")
    ended = lines[-1] == ""
    if ended:
        lines.pop()
    for action in edit.actions:
        lines = apply_action(lines, action, edit.path, read_file)
    return "\n".join(lines) + ("\n" if ended else "")


def glob_files(base, pattern):
    """Files of the base that match a pattern, as paths relative to it."""
    parts = pattern.split("/")
    fixed = []
    for part in parts[:-1]:
        if any(c in part for c in "*?["):
            break
        fixed.append(part)
    top = os.path.join(base, *fixed)
    expression = re.compile(_glob_regex(pattern))
    found = []
    for directory, subdirs, files in os.walk(top):
        subdirs.sort()
        for name in sorted(files):
            path = os.path.relpath(os.path.join(directory, name), base)
            if expression.match(path):
                found.append(path)
    return found


def matches_glob(path, pattern):
    """Does a path match a pattern as 'delete' takes it?"""
    return re.match(_glob_regex(pattern), path) is not None


def _glob_regex(pattern):
    pieces = []
    for part in re.split(r"(\*\*/?|\*|\?|\[[^]]*\])", pattern):
        if part.startswith("**"):
            pieces.append(".*")
        elif part == "*":
            pieces.append("[^/]*")
        elif part == "?":
            pieces.append("[^/]")
        elif part.startswith("["):
            pieces.append(fnmatch.translate(part)[4:-3])
        else:
            pieces.append(re.escape(part))
    return "".join(pieces) + r"\Z"
