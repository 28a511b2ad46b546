"""Commands in processes of their own: their state is read from files.

While a process runs it holds a lock, which it inherits from the server. A server that was killed
and started again therefore sees what still runs, what is finished and what was lost.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rulewright.workbench.json_files import read_json, write_json

PROGRAM = (sys.executable, "-P", "-m", "rulewright")
"""The command line; -P keeps the folder of a task out of the places that modules come from."""
PROGRESS = "RULEWRIGHT_PROGRESS"
"""Variable that names the file to which a command writes its progress."""
MAX_RUNNING = 2
"""Maximum number of processes at a time; others wait."""
MAX_LOG = 20_000
"""Maximum number of bytes of a log that are shown."""

LEFT_FILES = ("result.json", "progress.json", "log.txt", "cancelled")
"""Files that a run of a command leaves besides its product."""

State = Literal["waiting", "running", "done", "cancelled", "failed"]


@dataclass(frozen=True)
class Task:
    """A command in a folder.

    Attributes
    ----------
    folder : Path
        Folder of its log, its result, its progress and its lock.
    product : Path
        File that exists if and only if the command has succeeded.
    """

    folder: Path
    product: Path

    @property
    def result(self) -> dict[str, Any]:
        """What the command printed as JSON; empty until it has ended."""
        return read_json(self.folder / "result.json")

    @property
    def progress(self) -> dict[str, Any]:
        """The current work with the amount done; empty where the command has reported nothing."""
        return read_json(self.folder / "progress.json")

    @property
    def log(self) -> str:
        """End of what the command wrote to standard error."""
        try:
            with (self.folder / "log.txt").open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - MAX_LOG))
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""

    @property
    def command(self) -> list[str]:
        """Arguments of the command."""
        given = read_json(self.folder / "command.json").get("arguments", [])
        return [str(argument) for argument in given]

    @property
    def is_running(self) -> bool:
        """Whether its process holds the lock."""
        try:
            with (self.folder / "lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def state(self) -> State:
        """State of a task that does not wait."""
        if self.is_running:
            return "running"
        if self.product.is_file():
            return "done"
        return "cancelled" if (self.folder / "cancelled").exists() else "failed"

    @property
    def files(self) -> list[Path]:
        """All files of the task."""
        names = (*LEFT_FILES, "command.json", "process.json", "lock")
        return [self.product, *(self.folder / name for name in names)]

    def prepare(self, arguments: Sequence[str]) -> None:
        """Write down the command, and remove what an earlier run of it has left."""
        self.folder.mkdir(exist_ok=True)
        for name in (*LEFT_FILES, self.product.name):
            (self.folder / name).unlink(missing_ok=True)
        write_json(self.folder / "command.json", {"arguments": list(arguments)})

    def stop(self) -> None:
        """Mark the task as cancelled, and end its process."""
        (self.folder / "cancelled").touch()
        number = read_json(self.folder / "process.json").get("pid")
        # The lock shows that the number still belongs to the process of this task.
        if self.is_running and isinstance(number, int) and number > 1:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGTERM)


class TaskRunner:
    """Runs commands, a few at a time.

    Parameters
    ----------
    program : sequence of str
        The program with its first arguments.
    """

    def __init__(self, program: Sequence[str] = PROGRAM, max_running: int = MAX_RUNNING) -> None:
        self._program = list(program)
        self._pool = ThreadPoolExecutor(max_running, thread_name_prefix="task")
        self._begun: dict[Path, tuple[Task, Future[None]]] = {}

    def start(self, task: Task, arguments: Sequence[str]) -> None:
        """Run a command as soon as fewer than the maximum number run."""
        task.prepare(arguments)
        self._begun[task.folder] = (task, self._pool.submit(self.run, task))

    def state(self, task: Task) -> State:
        """Return the state of a task."""
        _, future = self._begun.get(task.folder, (task, None))
        if future is not None and not future.done() and not task.is_running:
            return "running" if future.running() else "waiting"
        return task.state()

    def is_busy(self, task: Task) -> bool:
        """Whether a task waits or runs."""
        return self.state(task) in ("waiting", "running")

    def cancel(self, task: Task) -> None:
        """End a task that waits or runs."""
        if self.is_busy(task):
            _, future = self._begun.get(task.folder, (task, None))
            if future is not None:
                future.cancel()
            task.stop()

    def close(self) -> None:
        """End everything that this runner has begun."""
        for task, future in list(self._begun.values()):
            if not future.done():
                self.cancel(task)
        self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self, task: Task) -> None:
        """Run the command of a task to its end."""
        if (task.folder / "cancelled").exists():
            return
        process = self._process(task)
        if (task.folder / "cancelled").exists():  # it was cancelled while it started
            process.terminate()
        process.wait()

    def _process(self, task: Task) -> subprocess.Popen[bytes]:
        folder = task.folder
        with (
            (folder / "lock").open("wb") as lock,
            (folder / "result.json").open("wb") as result,
            (folder / "log.txt").open("wb") as log,
        ):
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = subprocess.Popen(
                [*self._program, *task.command],
                cwd=folder,
                env={**os.environ, PROGRESS: str(folder / "progress.json")},
                stdin=subprocess.DEVNULL,
                stdout=result,
                stderr=log,
                pass_fds=[lock.fileno()],
                start_new_session=True,
            )
            write_json(folder / "process.json", {"pid": process.pid})
        return process
