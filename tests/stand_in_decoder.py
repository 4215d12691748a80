"""A decoder that is none: it ranks candidates that are there already, as Moses would write them."""

# Reads candidates, and gives the best of them under the weights of a file, as Moses would.
STAND_IN = """
import json, sys
weights_file, size, threads, candidates = sys.argv[1:5]
weights = dict(line.split("\\t") for line in open(weights_file).read().splitlines() if line)
print("translating with", threads, "threads", file=sys.stderr)
for number, line in enumerate(open(candidates)):
    scored = []
    for text, features in json.loads(line):
        score = sum(float(weights.get(name, 0)) * value for name, value in features.items())
        scored.append((score, text, features))
    scored.sort(key=lambda item: -item[0])
    for score, text, features in scored[: int(size)]:
        shown = " ".join(f"{name}= {value!r}" for name, value in features.items())
        print(f"{number} ||| {text} ||| {shown} ||| {score!r}", flush=True)
"""
