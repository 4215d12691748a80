"""The lock of a folder, in processes of their own."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from hopefear.errors import ConfigError
from hopefear.formats.lock import LOCK_FILE, FolderLock, is_in_use

SPAWN = multiprocessing.get_context("spawn")


def hold(folder: Path, ready: "multiprocessing.synchronize.Event") -> None:
    with FolderLock(folder):
        ready.set()
        signal.pause()


def test_another_process_is_told_who_has_the_folder(tmp_path: Path) -> None:
    ready = SPAWN.Event()
    holder = SPAWN.Process(target=hold, args=(tmp_path, ready))
    holder.start()
    assert ready.wait(60)
    with pytest.raises(ConfigError, match=f"in use by process {holder.pid} on "):
        FolderLock(tmp_path)
    assert holder.pid is not None
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()
    assert (tmp_path / LOCK_FILE).exists()  # but nobody holds it
    with FolderLock(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_made_and_can_be_locked_again(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    first = FolderLock(folder)
    with pytest.raises(ConfigError, match="in use"):
        FolderLock(folder)
    first.release()
    first.release()
    with FolderLock(folder):
        pass


def test_a_lock_file_with_other_content_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / LOCK_FILE).write_text("[]" * 1000)
    with FolderLock(tmp_path), pytest.raises(ConfigError, match=r"process \d+ on"):
        FolderLock(tmp_path)


def test_the_file_that_a_link_leads_to_stays_as_it_is(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("precious")
    (tmp_path / LOCK_FILE).symlink_to(other)
    with pytest.raises(OSError, match=LOCK_FILE):
        FolderLock(tmp_path)
    assert other.read_text() == "precious"


@pytest.mark.parametrize("text", ['{"process": 1e999, "host": "h"}', "[" * 995, "{}", "\xff", ""])
def test_a_lock_file_that_says_nothing_means_nobody(tmp_path: Path, text: str) -> None:
    (tmp_path / LOCK_FILE).write_text(text, encoding="latin-1")
    assert not is_in_use(tmp_path)


def test_a_lock_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LOCK_FILE)
    assert not is_in_use(tmp_path)
