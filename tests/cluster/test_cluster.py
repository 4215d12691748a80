"""A real Ray cluster of two nodes on this machine gives the same results as threads."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

import hopefear
from candidate_files import CandidateFiles, write_candidates
from command_line import program
from hopefear.cluster import Crew, connected
from hopefear.cluster.crew import Call, spread
from hopefear.cluster.versions import differences
from hopefear.demo import generated_corpus
from hopefear.errors import ClusterError, ConfigError, FormatError, HopefearWarning
from hopefear.events import EpochFinished, Warned
from hopefear.parallel.remote import Worker
from hopefear.reproduction import reproducing
from hopefear.reproduction.corpus import Sizes
from hopefear.reproduction.experiment import Scale
from hopefear.runs.grid import GridCell, GridResult
from hopefear.translation.training.stages import Stage
from hopefear.translation.translate import show_derivation
from ray_clusters import Nodes, nodes
from small_models import sentence_pairs, write_bitext

# It must not be imported to find out: Ray reads the environment when it is.
installed = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: pip install 'hopefear[cluster]'"
)
foreign = pytest.mark.unsanitized("Ray's own programs do not run under sanitizers")
pytestmark = [pytest.mark.xdist_group("ray"), installed, foreign]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Nodes]:
    with nodes() as started:
        yield started


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> CandidateFiles:
    return write_candidates(tmp_path_factory.mktemp("lists"), sentences=60, size=20)


@dataclass(frozen=True)
class ModelFiles:
    """A model, and sentences for it."""

    model: Path
    source: Path
    refs: Path

    def tune(self, learner: str, **settings: Any) -> hopefear.TuneResult:
        return hopefear.tune(
            learner,
            model=self.model,
            source=self.source,
            refs=self.refs,
            parses=self.model.parent / "parses",
            random_start=True,
            **settings,
        )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    folder = tmp_path_factory.mktemp("model")
    source, target = write_bitext(folder, every=7)
    hopefear.train(source=source, target=target, out=folder / "model")
    pairs = sentence_pairs()[3::40]
    (folder / "tune.f").write_text("".join(f"{f}\n" for f, _ in pairs))
    (folder / "tune.e").write_text("".join(f"{e}\n" for _, e in pairs))
    return ModelFiles(folder / "model", folder / "tune.f", folder / "tune.e")


def mixed(files: CandidateFiles, **settings: Any) -> hopefear.TuneResult:
    settings = {"epochs": 3, "strategy": "mixing", "workers": 3, "tokenize": "none", **settings}
    return hopefear.tune("kbest-mira", nbest=[files.nbest], refs=[files.refs], **settings)


def disturbed(
    work: Callable[[], hopefear.TuneResult], *disturb: Callable[[], object]
) -> hopefear.TuneResult:
    """Return what work gives while one thing after the other happens, as soon as it can."""
    done = threading.Event()

    def happen() -> None:
        for one in disturb:
            done.wait(0.5)
            while one() is False and not done.wait(0.3):
                pass

    thread = threading.Thread(target=happen)
    thread.start()
    try:
        return work()
    finally:
        done.set()
        thread.join()


def told(result: hopefear.TuneResult) -> list[str]:
    return [event.message for event in result.events if isinstance(event, Warned)]


def test_lists_give_the_same_weights_as_on_threads(cluster: Nodes, files: CandidateFiles) -> None:
    assert mixed(files, cluster=cluster.address).weights == mixed(files).weights


@pytest.mark.parametrize(("learner", "more"), [("mira", {}), ("kbest-mira", {"decodings": 2})])
def test_a_model_gives_the_same_weights_as_on_threads(
    cluster: Nodes, model: ModelFiles, learner: str, more: dict[str, Any]
) -> None:
    settings = {"strategy": "mixing", "workers": 2, "epochs": 2, **more}
    found = model.tune(learner, cluster=cluster.address, **settings)
    assert found.weights == model.tune(learner, **settings).weights


def test_learners_hear_each_other_across_nodes(cluster: Nodes, model: ModelFiles) -> None:
    random = Random(1)
    found = disturbed(
        lambda: model.tune(
            "mira",
            cluster=cluster.address,
            strategy="async",
            workers=3,
            epochs=3,
            learner__rate=0.1,
        ),
        lambda: cluster.kill_worker(random),
    )
    epochs = [event for event in found.events if isinstance(event, EpochFinished)]
    assert any(event.messages for event in epochs)


def test_lost_workers_and_nodes_change_no_weight(cluster: Nodes, files: CandidateFiles) -> None:
    random = Random(1)
    found = disturbed(
        lambda: mixed(files, cluster=cluster.address, epochs=30),
        lambda: cluster.kill_worker(random),
        cluster.kill_node,
    )
    cluster.join()
    assert found.weights == mixed(files, epochs=30).weights
    assert any("was lost" in message and "replaced" in message for message in told(found))


def test_a_node_that_joins_gets_its_share_of_the_workers(cluster: Nodes) -> None:
    with connected(cluster.address):
        crew = Crew(Worker)
        crew.arrange(6)
        before = len(crew.nodes)
        cluster.kill_node()
        until = time.monotonic() + 60
        while len(crew.nodes) == before and time.monotonic() < until:
            time.sleep(0.5)  # Ray finds out by and by
            crew.arrange(6)
        assert len(crew.nodes) == before - 1
        cluster.join()
        crew.arrange(6)
        assert len(crew.nodes) == before
        crew.close()


def test_a_node_with_another_version_is_found_out_at_the_start(
    cluster: Nodes, files: CandidateFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {"hopefear": "9.9", "Python": "3.99.0"}
    with monkeypatch.context() as other:
        # Nodes are asked by the function's name, and know nothing of this one.
        other.setattr(
            "hopefear.cluster.crew.differences", lambda theirs, _: differences(theirs, ours)
        )
        with pytest.raises(ClusterError, match=r"127\.0\.0\.1 has hopefear .* instead of 9\.9"):
            mixed(files, cluster=cluster.address)
    with connected(cluster.address):
        crew = Crew(Worker)
        crew.arrange(2)
        cluster.join()
        monkeypatch.setattr(
            "hopefear.cluster.crew.differences", lambda theirs, _: differences(theirs, ours)
        )
        before = crew.nodes
        crew.arrange(6)
        assert crew.nodes == before  # without the new one
        assert "it is not used" in " ".join(crew.take_notes())
        crew.close()
    cluster.kill_node()


def test_workers_are_spread_in_proportion_to_processors() -> None:
    assert spread(4, {"a": 1, "b": 3}, {}) == {0: "b", 1: "b", 2: "b", 3: "a"}
    crowded = {0: "a", 1: "a", 2: "a", 3: "lost"}
    assert spread(4, {"a": 1, "b": 1}, crowded) == {0: "a", 1: "a", 2: "b", 3: "b"}


def test_one_learner_has_no_work_for_a_cluster(files: CandidateFiles) -> None:
    with pytest.raises(ConfigError) as caught:
        mixed(files, cluster="local", strategy="serial", workers=None)
    assert "cluster" in caught.value.settings


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere"])
def test_a_cluster_that_is_not_there_is_found_out_at_once(
    files: CandidateFiles, address: str
) -> None:
    began = time.monotonic()
    with pytest.raises((ClusterError, ConfigError)) as caught:
        mixed(files, cluster=address)
    assert "cluster" in caught.value.settings
    assert "cannot join" not in str(caught.value)
    assert time.monotonic() - began < 20


def test_lines_are_translated_in_order_by_all_nodes(cluster: Nodes, model: ModelFiles) -> None:
    lines = model.source.read_text().splitlines() * 20
    expected = list(hopefear.translate(model.model, lines, nbest=5, forests=True))
    random = Random(1)
    killed: list[bool] = []

    def disturbing() -> Iterator[str]:
        for number, line in enumerate(lines):
            if number > len(lines) // 2 and not any(killed):
                killed.append(cluster.kill_worker(random))
            yield line

    with pytest.warns(HopefearWarning, match="was lost"):
        found = list(
            hopefear.translate(
                model.model, disturbing(), nbest=5, forests=True, cluster=cluster.address
            )
        )
    assert [one.segment for one in found] == [one.segment for one in expected]
    assert [show_derivation(one) for one in found] == [show_derivation(one) for one in expected]
    assert all(one.forest is not None for one in found)


def test_an_error_of_a_sentence_names_it(cluster: Nodes, model: ModelFiles, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="sentence 1: "):
        list(hopefear.translate(model.model, ["a"], grammars=tmp_path, cluster=cluster.address))


@pytest.mark.parametrize("choice", ["skip", "copy", "stop"])
def test_lines_that_cannot_be_translated_are_as_on_threads(
    cluster: Nodes, model: ModelFiles, choice: str
) -> None:
    first, second = model.source.read_bytes().splitlines()[:2]
    text = b"\n".join([first, b"mu\xff\xc3\xa9", b"a " * 3_000_000, second, b""])
    command = program(["translate", model.model, "--on-error", choice])

    def run(*options: str) -> tuple[int, bytes, list[bytes]]:
        done = subprocess.run([*command, *options], input=text, capture_output=True, check=False)
        told = [line for line in done.stderr.splitlines() if line.startswith(b"hopefear: ")]
        return done.returncode, done.stdout, told

    found = run("--cluster", cluster.address)
    assert found == run("--threads", "1")
    assert found[0] == (choice == "stop")
    assert len(found[2]) == (1 if choice == "stop" else 2)


def test_replicas_are_shared_out(cluster: Nodes, files: CandidateFiles, tmp_path: Path) -> None:
    settings = {"replicas": 3, "strategy": "serial", "workers": None, "random_start": True}
    found = mixed(files, cluster=cluster.address, out=tmp_path / "run", **settings)
    expected = mixed(files, **settings)
    assert found.weights == expected.weights
    assert [type(event) for event in found.events] == [type(event) for event in expected.events]


def test_runs_of_a_grid_are_shared_out(
    cluster: Nodes, files: CandidateFiles, tmp_path: Path
) -> None:
    random = Random(1)

    def tune(out: str, **settings: Any) -> GridResult:
        return hopefear.tune_grid(
            "kbest-mira",
            grid={"max_step": [0.1, 0.01, 0.001], "epochs": [1, 2]},
            nbest=[files.nbest],
            refs=[files.refs],
            tokenize="none",
            out=tmp_path / out,
            **settings,
        )

    def on_cell(cell: GridCell) -> None:
        if not killed:
            killed.append(cluster.kill_worker(random))

    killed: list[bool] = []
    with pytest.warns(HopefearWarning, match="was lost"):
        found = tune("cluster", cluster=cluster.address, on_cell=on_cell)
    expected = tune("here")
    assert [cell.weights for cell in found.cells] == [cell.weights for cell in expected.cells]
    assert found.best.values == expected.best.values


def test_a_reproduction_on_a_cluster_gives_what_it_gives_here(
    cluster: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = Sizes(train=150, tuning=12, dev=8, test=10)
    scale = Scale(replicas=2, decodings=2, epochs=2, list_size=8)
    monkeypatch.setattr(reproducing, "QUICK", (sizes, scale))
    generated_corpus(train=200, dev=40, test=20).write(tmp_path)

    def scores(out: str, **settings: Any) -> dict[str, list[float]]:
        found = hopefear.reproduce(
            "gimpel2012", data=tmp_path, table="1", quick=True, out=tmp_path / out, **settings
        )
        return {name: outcome.test for name, outcome in found.outcomes.found.items()}

    assert scores("cluster", cluster=cluster.address) == scores("here", jobs=1, threads=1)


def test_a_worker_that_stops_answering_is_replaced(cluster: Nodes) -> None:
    with connected(cluster.address):
        crew = Crew(Worker, patience=6.0)
        crew.arrange(2)
        left = {0, 1}

        def take(number: int) -> Call | None:
            if number not in left:
                return None
            left.remove(number)
            return Call(method="beat")

        assert len(list(crew.run(take))) == 2
        os.kill(cluster.workers()[0], signal.SIGSTOP)
        left |= {0, 1}
        assert len(list(crew.run(take))) == 2
        assert "no answer" in " ".join(crew.take_notes())
        crew.close()


LISTENING = """
import re
from pathlib import Path
from hopefear.cluster import connected

def children(pid):
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield child
            yield from children(child)

with connected("local", threads=1):
    sockets = set()
    for pid in ["self", *children("self")]:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            sockets |= set(re.findall(r"socket:\\[(\\d+)\\]", str(descriptor.resolve())))
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            row = line.split()
            if row[3] == "0A" and row[9] in sockets:
                print(row[1].split(":")[0])
"""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, as IPv6 as well


NEWS = """
import sys, time
from hopefear.cluster import connected

with connected(sys.argv[1]):
    from ray._private.utils import publish_error_to_driver
    from ray._private.worker import global_worker
    publish_error_to_driver("node", "a node has died", global_worker.gcs_client)
    time.sleep(1)
print("done")
"""


def test_news_of_the_cluster_does_not_get_into_the_output(cluster: Nodes) -> None:
    command = [sys.executable, "-c", NEWS, cluster.address]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"done\n"


def test_nobody_else_is_let_in(cluster: Nodes) -> None:
    def started(program: str, **environment: str) -> "subprocess.Popen[str]":
        command, both = [sys.executable, "-c", program], subprocess.PIPE
        other = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")} | environment
        return subprocess.Popen(command, stdout=both, stderr=both, text=True, env=other)

    join = f"from hopefear.cluster import connected\nwith connected('{cluster.address}'): pass\n"
    local, stranger = started(LISTENING), started(join, RAY_AUTH_TOKEN="0" * 64)
    addresses, problem = local.communicate(timeout=120)
    assert addresses, problem
    assert set(addresses.split()) <= LOOPBACK
    _, problem = stranger.communicate(timeout=120)
    assert stranger.returncode != 0
    assert "ClusterError: cannot join the Ray cluster" in problem


def test_a_model_is_the_same_if_a_cluster_helps(cluster: Nodes, tmp_path: Path) -> None:
    source, target = write_bitext(tmp_path, every=7)
    stages: list[Stage] = []

    def disturb(stage: str, done: int, total: int) -> None:
        if (stage, done) in {("aligning", 2), ("scoring", 0), ("counting", 0)}:
            for worker in cluster.workers():
                os.kill(worker, signal.SIGKILL)

    def train(name: str, **settings: Any) -> None:
        hopefear.train(
            source=source,
            target=target,
            inputs=[source],
            aligner="diagonal",
            out=tmp_path / name,
            on_stage=stages.append,
            **settings,
        )

    with pytest.warns(HopefearWarning, match="was lost") as lost:
        train("cluster", cluster=cluster.address, progress=disturb)
    assert len(lost) >= 3
    train("here")
    assert [stage.name for stage in stages if stage.reused] == ["lm0"]  # it was done elsewhere
    here, there = tmp_path / "here", tmp_path / "cluster"
    for folder in (".", "stages"):
        names = [{path.name for path in (model / folder).iterdir()} for model in (here, there)]
        assert names[0] == names[1]
    for file in (path.name for path in here.iterdir() if path.is_file()):
        if file != "train.toml":
            assert (here / file).read_bytes() == (there / file).read_bytes()
