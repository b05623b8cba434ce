#!/usr/bin/python3
"""packages.py: every program that a test or a script calls comes from a package that
scripts/setup.sh installs for it, or from Debian's base system. A machine that has more installed
therefore cannot hide a missing line of the setup.

A command word is looked for where a shell expects one; whatever of those is a program of an
installed Debian package is asked about. Prints one line for each that is missing.
usage: packages.py ROOT PURPOSE 'GLOB'...
"""
import glob
import os
import re
import subprocess
import sys

# Words behind which another command word follows.
LEADERS = r"(?:sudo|exec|command|env|run|nice|nohup|setsid|timeout(?:\s+\S+)?|time|xargs|!|then|do|else|if|while|until|\{)"
ASSIGNMENT = r"(?:[A-Za-z_]\w*=(?:\"[^\"(]*\"|[^\s(]*)\s+)*"
COMMAND = re.compile(
    r"(?:^|[|;&(`]|\$\()\s*(?:" + LEADERS + r"\s+(?:-\S+\s+)*)*" + ASSIGNMENT + r"([a-z][a-z0-9_.+-]*)(?=[\s;|&)`]|$)", re.M)
CALLS = re.compile(r"(?:run|Popen|check_output|check_call|call|execvp)\(\s*\[\s*[\"']([a-z][\w.+-]*)[\"']")
FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]


def output(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout


def without_texts(text):
    """Comments, here-documents and quoted texts hold words that nobody runs; $(…) in them is run."""
    text = re.sub(r"<<-?\s*['\"]?(\w+)['\"]?([^\n]*)\n.*?\n\s*\1\n", r"\2\n", text, flags=re.S)
    out, inside, i = [], [], 0  # inside: what the quotes and brackets around us are, outermost first
    while i < len(text):
        c, quoted = text[i], inside and inside[-1] == '"'
        if c == "\\":
            out.append(" " if text[i:i + 2] == "\\\n" else "_")
            i += 1
        elif c == "$" and text[i:i + 2] == "$(":
            inside.append("(")
            out.append("$(")
            i += 1
        elif c == '"':
            inside.pop() if quoted else inside.append('"')
            out.append('"')
        elif quoted:
            out.append("_")
        elif c == "'":
            i = (text + "'").index("'", i + 1)
            out.append("_")
        elif c == "#" and (not out or out[-1][-1] in " \t\n(;"):
            i = (text + "\n").index("\n", i) - 1
        elif c == "(":
            inside.append("(")
            out.append(c)
        elif c == ")":
            if inside:
                inside.pop()
            out.append(c)
        else:
            out.append(c)
        i += 1
    return "".join(out)


def words_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".py"):
        return set(CALLS.findall(text))
    functions = set(re.findall(r"^\s*(?:function\s+)?([\w-]+)\s*\(\)", text, re.M))
    return set(COMMAND.findall(without_texts(text))) - functions


def builtins():
    return set(output("bash", "-c", "compgen -b; compgen -k").split())


def packages_of(words):
    """word → the package whose program it is, for those that are one of an installed package."""
    paths = {}
    for word in words:
        for folder in FOLDERS:
            path = os.path.join(folder, word)
            if os.path.exists(path):
                paths.update({path: word, os.path.realpath(path): word})
    found = {}
    for line in output("dpkg-query", "-S", *paths).splitlines():
        owner, _, path = line.partition(": ")
        if path in paths and not owner.startswith("diversion"):
            found[paths[path]] = re.split("[,:]", owner)[0]
    return found


def installed():
    """name → (what it needs, whether it is of the base system)"""
    table = {}
    form = "${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\t${db:Status-Status}\n"
    provided = {}
    for line in output("dpkg-query", "-W", "-f", form).splitlines():
        name, essential, priority, depends, provides, status = line.split("\t")
        if status != "installed":
            continue
        # Of alternatives the first is what a bare machine gets.
        needs = [re.split(r"[ (:|]", d.strip())[0] for d in depends.split(",") if d.strip()]
        table[name] = (needs, essential == "yes" or priority == "required")
        for p in provides.split(","):
            provided.setdefault(re.split(r"[ (:]", p.strip())[0], []).append(name)
    return table, provided


def closure(roots, table, provided):
    seen, todo = set(), list(roots)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        todo += table[name][0] if name in table else provided.get(name, [])[:1]
    return seen


def main():
    root, purpose, *patterns = sys.argv[1:]
    wanted = output(os.path.join(root, "scripts/setup.sh"), "--list", purpose).split()
    table, provided = installed()
    roots = wanted + [name for name, (_, base) in table.items() if base] + ["apt"]
    known = closure(roots, table, provided)
    ours = builtins()
    words = {}
    for pattern in patterns:
        for path in glob.glob(os.path.join(root, pattern)):
            for word in words_of(path) - ours:
                words.setdefault(word, []).append(os.path.relpath(path, root))
    for word, package in sorted(packages_of(words).items()):
        if package not in known:
            print(f"'{word}' of package '{package}', in {', '.join(sorted(words[word])[:3])}")


main()
