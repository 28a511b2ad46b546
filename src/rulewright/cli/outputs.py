"""Output files of a command: which files they may replace, and their removal on a signal."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rulewright.data import check_writable, file_to_replace, is_same_file
from rulewright.errors import FileError

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Output:
    """A file to write, and the check that recognises an earlier file of the same kind."""

    option: str
    path: Path
    kind: str
    is_own: Callable[[Path], bool]


def check_outputs(
    outputs: Sequence[Output], inputs: Mapping[str, Path], *, overwrite: bool
) -> None:
    """Refuse outputs that cannot be written or would destroy a file, before any work is done.

    An input is never overwritten. Another file is overwritten if this program wrote it, if it is
    empty, or if ``overwrite`` is set.
    """
    for number, output in enumerate(outputs):
        for what, path in inputs.items():
            if is_same_file(output.path, path):
                raise FileError(_refusal(output, f"it is the {what}"))
        for other in outputs[:number]:
            if is_same_file(output.path, other.path):
                raise FileError(_refusal(output, f"it is the {other.option} file"))
        check_writable(output.path)
        if not (overwrite or _is_replaceable(output)):
            raise FileError(
                f"Refusing to overwrite {output.path}: it is not {output.kind}. Choose another "
                f"{output.option}, or add --overwrite."
            )


def _refusal(output: Output, reason: str) -> str:
    return f"Refusing to overwrite {output.path}: {reason}. Choose another {output.option}."


def _is_replaceable(output: Output) -> bool:
    path = file_to_replace(output.path)
    return path is None or path.stat().st_size == 0 or output.is_own(output.path)


def make_folder(path: Path) -> None:
    """Make a folder for outputs, unless it exists."""
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(
            f"Cannot make the folder {str(path)!r}: {error.strerror or error}. Choose another."
        ) from error


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exit, so that temporary files are removed on the way out.

    The exit code is 128 plus the number of the signal: 143 for SIGTERM.
    """
    received: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        if not received:  # a second signal must not cut the removal short
            received.append(number)
            raise SystemExit(128 + number)

    handled = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, stop)
    try:
        yield
    except Exception as error:
        if received:  # a library turned the exit into another error
            raise SystemExit(128 + received[0]) from error
        raise
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)
