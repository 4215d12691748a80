"""Stand-ins for Moses, cdec and Joshua: programs with their options, files and manners.

They share one search: words are translated from left to right, with a bigram language model, and a
beam in units of the score: under large weights nearly everything is pruned, under small ones
nothing. Like the real tools, they use features that they do not list, list several derivations of
the same words unless they are asked for different ones, and write errors to standard error.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

SEARCH = '''
import json, math, sys

def fail(*lines):
    print(*lines, sep="\\n", file=sys.stderr)
    sys.exit(1)

def translate(model, words, weight, size, distinct):
    """Return (score, words, features), the best first; `weight` gives the weight of a feature."""
    hypotheses = [(0.0, (), "<s>", {})]
    for word in words:
        extended = []
        for score, target, last, features in hypotheses:
            for text, values in model["rules"].get(word, [[word, {"unknown": 1.0}]]):
                found, before = dict(features), last
                for name, value in values.items():
                    found[name] = found.get(name, 0.0) + value
                for one in text.split():
                    lm = model["bigrams"].get(before + " " + one, -4.0)
                    found["lm"] = found.get("lm", 0.0) + lm
                    found["words"] = found.get("words", 0.0) + 1
                    before = one
                total = sum(weight(name) * value for name, value in found.items())
                extended.append((total, target + tuple(text.split()), before, found))
        extended.sort(key=lambda item: -item[0])
        # The beam: what is worse than the best by more than this many points is pruned.
        worst = extended[0][0] - model["beam"]
        hypotheses = [h for h in extended if h[0] >= worst][: model["stack"]]
    listed, seen = [], set()
    for score, target, _, features in hypotheses:
        if not (distinct and target in seen) and len(listed) < size:
            listed.append((score, " ".join(target), features))
            seen.add(target)
    return listed

def option(name, default=None, values=1):
    if name not in sys.argv:
        return default
    at = sys.argv.index(name) + 1
    return sys.argv[at] if values == 1 else sys.argv[at : at + values]
'''

MOSES = """
config = option("-config") or fail("No configuration file was specified.  Use -config or -f")
section, features, given = "", {}, {}
for line in open(config):
    words = line.partition("#")[0].split()
    if words and words[0].startswith("["):
        section = words[0]
    elif words and section == "[feature]":
        values = dict(word.split("=") for word in words[1:])
        features[values.get("name", words[0] + "0")] = values
    elif words and section == "[weight]":
        given[words[0][:-1]] = [float(word) for word in words[1:]]
for name, values in features.items():
    if name not in given:
        fail("Can't find weights for feature function " + name)
    if len(given[name]) != int(values.get("num-features", 1)):
        fail("Exception: moses/StaticData.cpp:1 threw util::Exception",
             "Number of weights for " + name + " is wrong")
path, size, mode = (option("-n-best-list", [None, "1", ""], 3) + [""])[:3]
model = json.load(open(features["PhraseDictionary0"]["path"]))
UNITS = {"unknown": ("UnknownWordPenalty0", 0, -100.0), "words": ("WordPenalty0", 0, -1.0),
         "lm": ("LM0", 0, 1.0), "style": ("LM1", 0, 1.0), "phrases": ("PhrasePenalty0", 0, 1.0),
         "p0": ("PhraseDictionary0", 0, 1.0), "p1": ("PhraseDictionary0", 1, 1.0)}

def weight(name):
    label, number, unit = UNITS[name]
    return given[label][number] * unit

for number, line in enumerate(sys.stdin):
    print("Translating line", number, file=sys.stderr)
    for score, text, found in translate(model, line.split(), weight, int(size), mode == "distinct"):
        shown = {}
        for name, (label, place, unit) in UNITS.items():
            shown.setdefault(label, {})[place] = found.get(name, 0.0) * unit
        listed = " ".join(label + "= " + " ".join(repr(values[i]) for i in sorted(values))
                          for label, values in shown.items()
                          if features[label].get("tuneable") != "false")
        if path == "-":
            print(number, "|||", text, "|||", listed, "|||", repr(score), flush=True)
        else:
            print(text)
            break
"""

CDEC = """
if option("-c") is None or option("-w") is None:
    fail("Please specify a configuration file and weights")
settings = dict(line.split("=", 1) for line in open(option("-c")).read().split())
given = {}
for line in open(option("-w")):
    if line.strip() and not line.startswith("#"):
        name, value = line.replace("\\t", " ").rsplit(" ", 1)
        given[name] = float(value)
model = json.load(open(settings["grammar"]))
LOG10 = 1 / math.log(10)
UNITS = {"unknown": ("PassThrough", 1.0), "words": ("WordPenalty", -LOG10),
         "lm": ("LanguageModel", LOG10), "style": ("Style", 1.0), "phrases": ("PhraseCount", 1.0),
         "p0": ("PhraseModel_0", 1.0), "p1": ("PhraseModel_1", 1.0)}

def weight(name):
    label, unit = UNITS[name]
    return given.get(label, 0.0) * unit

k = option("-k")
for number, line in enumerate(sys.stdin):
    if line.startswith("<seg"):
        number = int(line.partition('id="')[2].partition('"')[0])
        line = line.partition(">")[2].partition("</seg>")[0]
    found = translate(model, line.split(), weight, int(k or 1), "-r" in sys.argv)
    for score, text, features in found:
        # Zeros are not written, and numbers with six digits.
        values = {UNITS[name][0]: value * UNITS[name][1] for name, value in features.items()}
        listed = " ".join(f"{name}={value:.6g}" for name, value in values.items() if value)
        print(f"{number} ||| {text} ||| {listed} ||| {score:.6g}" if k else text, flush=True)
print("Total time 0", file=sys.stderr)
"""

JOSHUA = """
settings, given = {}, {}

def read(path):
    for line in open(path):
        line = line.partition("#")[0].strip()
        if "=" in line:
            key, value = (part.strip() for part in line.split("=", 1))
            settings[key] = value
        elif line:
            name, value = line.split()
            given[name] = given.get(name, 0.0) + float(value)  # repeated names add up

read(option("-config") or option("-c") or fail("usage: joshua -c CONFIG"))
if "weights-file" in settings:
    read(settings["weights-file"])
model = json.load(open(settings["tm"].split()[-1]))
LOG10 = 1 / math.log(10)
UNITS = {"unknown": ("OOVPenalty", -100.0), "words": ("WordPenalty", -LOG10), "lm": ("lm_0", LOG10),
         "style": ("Style", 1.0), "phrases": ("PhrasePenalty", 1.0), "p0": ("tm_pt_0", 1.0),
         "p1": ("tm_pt_1", 1.0)}

def weight(name):
    label, unit = UNITS[name]
    return given.get(label, 0.0) * unit

size = int(option("-top-n", "0"))
if size and option("-output-format") != "%i ||| %s ||| %f ||| %c":
    fail("unknown output format")
for number, line in enumerate(sys.stdin):
    mark = "" if option("-mark-oovs") == "false" else "_OOV"
    found = translate(model, line.split(), weight, size or 1, option("-use-unique-nbest") == "true")
    for score, text, features in found:
        values = {UNITS[name][0]: value * UNITS[name][1] for name, value in features.items()}
        listed = " ".join(f"{name}={value:.3f}" for name, value in values.items())
        text = " ".join(w + mark * (w in line.split()) for w in text.split())
        print(f"{number} ||| {text} ||| {listed} ||| {score:.3f}" if size else text, flush=True)
"""

MOSES_INI = """\
# as train-model.perl writes it
[feature]
UnknownWordPenalty tuneable=false
WordPenalty
PhrasePenalty
PhraseDictionary name=PhraseDictionary0 num-features=2 path={model}
KENLM name=LM0
KENLM name=LM1 tuneable=false

[weight]
UnknownWordPenalty0= 1
WordPenalty0= -0.5
PhrasePenalty0= 0.2
PhraseDictionary0= 0.2 0.2
LM0= 0.5
LM1= 0.7
"""

CDEC_WEIGHTS = """\
PassThrough -10
WordPenalty -1
LanguageModel 1
PhraseModel_0 0.2
PhraseModel_1 0.2
PhraseCount 0.2
Style 0.7
"""

JOSHUA_CONFIG = """\
tm = thrax -owner pt -maxspan 20 -path {model}
feature-function = OOVPenalty
feature-function = WordPenalty
mark-oovs = true

# This is the model weights section
lm_0 1
tm_pt_0 0.2
tm_pt_1 0.1
tm_pt_1 0.1
WordPenalty -1
PhrasePenalty 0.2
OOVPenalty 0.1
Style 0.7
"""


@dataclass(frozen=True)
class Tools:
    """Programs, their configurations, sentences and references."""

    moses: Path
    moses_ini: Path
    cdec: Path
    cdec_ini: Path
    joshua: Path
    joshua_config: Path
    source: Path
    references: Path

    def named(self, tool: str) -> tuple[Path, Path]:
        """Return a program and its configuration."""
        return {
            "moses": (self.moses, self.moses_ini),
            "cdec": (self.cdec, self.cdec_ini),
            "joshua": (self.joshua, self.joshua_config),
        }[tool]


def make_tools(folder: Path, *, sentences: int = 25, beam: float = 2.5) -> Tools:
    """Make a model whose weights can be learned, and programs that translate with it."""
    random = np.random.default_rng(3)
    rules: dict[str, list[tuple[str, dict[str, float]]]] = {}
    bigrams: dict[str, float] = {}
    for word in range(30):
        options = []
        for choice in range(4):
            right = choice == 0
            features = {
                "p0": float(random.normal(-1.0 if right else -2.0, 0.8)),
                "p1": float(random.normal(-2.0, 1.5)),
                "style": float(random.normal(0.0, 0.3)),
                "phrases": 1.0,
            }
            text = f"w{word}" if right else f"x{word}_{choice}"
            options.append((text if choice < 3 else f"w{word} the", features))
        for text in (f"w{word}", f"x{word}_1"):  # the same words once more, in two phrases
            features = {"p0": -3.0, "p1": float(random.normal(-2.0, 1.5)), "phrases": 2.0}
            options.append((text, features))
        rules[f"s{word}"] = options
    source, references = [], []
    for _ in range(sentences):
        words = random.integers(0, 30, size=int(random.integers(4, 9)))
        source.append(" ".join([*(f"s{word}" for word in words), "zork"][: len(words) + 1]))
        targets = [*(f"w{word}" for word in words), "zork"]
        references.append(" ".join(targets))
        for last, this in zip(["<s>", *targets], targets, strict=False):
            bigrams[f"{last} {this}"] = float(random.normal(-3.5, 1.0))
        for last, this in pairwise(words):
            for choice in (1, 2):  # wrong words, some of which the language model likes
                bigrams[f"x{last}_{choice} x{this}_{choice}"] = float(random.normal(-3.8, 1.0))
                bigrams[f"w{last} x{this}_{choice}"] = float(random.normal(-3.8, 1.0))
    model = folder / "model.json"
    table = {"rules": rules, "bigrams": bigrams, "beam": beam, "stack": 60}
    model.write_text(json.dumps(table))
    (folder / "bin").mkdir()
    for name, body in (("moses", MOSES), ("cdec", CDEC), ("joshua", JOSHUA)):
        program = folder / "bin" / name
        program.write_text(f"#!{sys.executable}\n{SEARCH}{body}")
        program.chmod(0o755)
    (folder / "moses.ini").write_text(MOSES_INI.format(model=model))
    (folder / "weights.init").write_text(CDEC_WEIGHTS)
    (folder / "cdec.ini").write_text(f"formalism=scfg\ngrammar={model}\nweights=weights.init\n")
    (folder / "joshua.config").write_text(JOSHUA_CONFIG.format(model=model))
    write_lines(folder / "source", source)
    write_lines(folder / "references", references)
    return Tools(
        moses=folder / "bin/moses",
        moses_ini=folder / "moses.ini",
        cdec=folder / "bin/cdec",
        cdec_ini=folder / "cdec.ini",
        joshua=folder / "bin/joshua",
        joshua_config=folder / "joshua.config",
        source=folder / "source",
        references=folder / "references",
    )


def write_lines(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))
