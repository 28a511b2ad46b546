"""What the pages show of the models of a session."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from rulewright.certificates import Certificate, PathEntry, load_front, load_model
from rulewright.errors import InputError, RulewrightError, UnrenderableError
from rulewright.models import Model
from rulewright.render import class_text, confidence_text, count_text, percent_text, share_ticks
from rulewright.rules import Tree
from rulewright.selection import cost_sentence, error_sentence
from rulewright.workbench.session import Session, StoredModel
from rulewright.workbench.tasks import State, TaskRunner

MAX_KEPT = 200
"""Maximum number of models that are kept in memory."""
WIDTH, HEIGHT = 560.0, 200.0
"""Size of the chart inside its axes."""
LABEL_RISE, LABEL_WIDTH, LABEL_HEIGHT, LABEL_TOP = 11.0, 150.0, 20.0, -10.0
"""Height of a name above its point, the size of a name, and the highest place of one."""


def model_of(stored: StoredModel) -> Model:
    """Return the model of a file, which must answer with classes."""
    try:
        return _loaded(stored.path, stored.path.stat().st_mtime_ns)
    except FileNotFoundError as error:
        raise InputError("This model is not finished. Wait until it is, or fit again.") from error


@lru_cache(maxsize=MAX_KEPT)
def _loaded(path: Path, changed: int) -> Model:
    loaded = load_model(path)
    if not isinstance(loaded, Model):
        raise InputError(
            "This model answers with numbers. The workbench is for models that answer with classes."
        )
    return loaded


def front_of(stored: StoredModel) -> list[PathEntry]:
    """Return the models of other sizes in the file of a model."""
    return load_front(stored.path) if stored.path.is_file() else []


def rules_text(model: Model) -> tuple[str | None, str]:
    """Return a model as a rules file; or None, and the reason why it cannot be one."""
    try:
        return model.to_rules(), ""
    except (InputError, UnrenderableError) as error:
        return None, str(error)


def line_facts(session: Session, runner: TaskRunner, stored: StoredModel) -> dict[str, Any]:
    """Return the line of a model in a list."""
    about = stored.about
    table = session.table(str(about.get("table")))
    state = runner.state(stored.task)
    return {
        "id": stored.id,
        "name": about["name"],
        "kind": about["kind"],
        "table": None if table is None else table.name,
        "table_id": None if table is None else table.id,
        "target": about.get("target"),
        "state": state,
        "failure": failure(stored, state),
        **_measures(stored, state),
    }


def failure(stored: StoredModel, state: State) -> str | None:
    """Return why a model was not made."""
    if state != "failed":
        return None
    said = stored.task.result.get("error") or stored.task.log.strip().rpartition("Error: ")[2]
    return str(said) or "The server or the process was stopped before the model was finished."


def _measures(stored: StoredModel, state: State) -> dict[str, Any]:
    """Return the numbers of a model that is finished."""
    empty = {"bound": None, "error": None, "lines": None, "tests": None, "form": None}
    if state != "done":
        return empty
    try:
        model = model_of(stored)
    except (RulewrightError, OSError):
        return empty
    certificate = model.certificate
    found = {"lines": len(model.body.outputs), "tests": model.body.literals}
    if certificate is None:
        return empty | found
    return found | {
        "bound": certificate.bound,
        "error": certificate.errors / certificate.others if certificate.others else None,
        "form": certificate.form,
    }


def with_fronts(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mark the models that no other of the same table and target beats in size and in bound."""

    def beaten(line: dict[str, Any]) -> bool:
        rivals = [
            other
            for other in lines
            if other["bound"] is not None and _subject(other) == _subject(line)
        ]
        return any(
            other["tests"] <= line["tests"]
            and other["bound"] <= line["bound"]
            and (other["tests"], other["bound"]) != (line["tests"], line["bound"])
            for other in rivals
        )

    return [line | {"front": line["bound"] is not None and not beaten(line)} for line in lines]


def _subject(line: dict[str, Any]) -> tuple[Any, Any]:
    return line["table_id"], line["target"]


def subjects(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the models by what they are about: a table and its target, with a chart of each."""
    groups: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for line in with_fronts(lines):
        groups.setdefault(_subject(line), []).append(line)
    return [
        {
            "table": found[0]["table"],
            "table_id": found[0]["table_id"],
            "target": found[0]["target"],
            "models": found,
            "chart": _chart([line for line in found if line["bound"] is not None]),
        }
        for found in groups.values()
    ]


def _chart(lines: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the places of the models in a chart of their bounds against their sizes."""
    if len(lines) < 2:
        return None
    widest = max(max(line["tests"] for line in lines), 1)
    ticks = share_ticks(max(max(line["bound"], line["error"] or 0.0) for line in lines))

    def down(share: float) -> float:
        return HEIGHT * (1 - share / ticks[-1])

    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 10**4, 10**9) if widest / s <= 8)
    xs = [WIDTH * line["tests"] / widest for line in lines]
    labels = _labels(xs, [down(line["bound"]) for line in lines])
    return {
        "ticks": [{"y": down(tick), "text": f"{100 * tick:.3g} %"} for tick in ticks],
        "sizes": [{"x": WIDTH * s / widest, "text": f"{s:,}"} for s in range(0, widest + 1, step)],
        "points": [
            {
                "x": x,
                "name": line["name"],
                "label": label,
                "bound": down(line["bound"]),
                "error": None if line["error"] is None else down(line["error"]),
                "front": line["front"],
                "title": f"{line['name']}: {count_text(line['tests'], 'test')}, "
                f"wrong on at most {percent_text(line['bound'])}",
                "id": line["id"],
            }
            for line, x, label in zip(lines, xs, labels, strict=True)
        ],
    }


def _labels(xs: Sequence[float], ys: Sequence[float]) -> list[dict[str, Any]]:
    """Place the names of points above them, apart from each other."""
    placed: list[dict[str, Any]] = [{} for _ in xs]
    taken: list[tuple[float, float]] = []
    for place in sorted(range(len(xs)), key=lambda each: ys[each], reverse=True):
        x, y = xs[place], ys[place] - LABEL_RISE
        while any(abs(x - a) < LABEL_WIDTH and abs(y - b) < LABEL_HEIGHT for a, b in taken):
            y -= LABEL_HEIGHT
        taken.append((x, y))
        anchor = (
            "start" if x < LABEL_WIDTH / 2 else "end" if x > WIDTH - LABEL_WIDTH / 2 else "middle"
        )
        placed[place] = {"x": x, "y": max(y, LABEL_TOP), "anchor": anchor}
    return placed


def finished_facts(stored: StoredModel) -> dict[str, Any]:
    """Return what the page of a finished model shows."""
    model = model_of(stored)
    rules, reason = rules_text(model)
    certificate = model.certificate
    result = stored.task.result
    sentences = []
    if certificate is not None:
        cost = cost_sentence(model)
        sentences = [*([cost] if cost else []), error_sentence(model)]
    cautions = () if certificate is None else certificate.cautions
    return {
        "text": str(model),
        "sentences": sentences,
        "cards": [] if certificate is None else _cards(model, certificate),
        "bound": None if certificate is None else percent_text(certificate.bound),
        "cautions": list(dict.fromkeys((*cautions, *result.get("cautions", [])))),
        "remarks": result.get("remarks", []),
        "rules": rules,
        "no_rules": reason,
        "classes": [class_text(label) for label in model.classes],
        "sizes": [_size_facts(entry, model) for entry in front_of(stored)],
    }


def _cards(model: Model, certificate: Certificate) -> list[tuple[str, str]]:
    """Return the main numbers of a certified model, each with its name."""
    counted = certificate.errors / certificate.others if certificate.others else None
    lines = len(model.body.outputs)
    return [
        ("wrong, of new cases", f"\u2264 {percent_text(certificate.bound)}"),
        *([] if counted is None else [("wrong, of the cases counted", f"{100 * counted:.1f} %")]),
        ("confidence", confidence_text(certificate.delta)),
        ("leaves" if isinstance(model.body, Tree) else "lines", f"{lines:,}"),
        ("tests", f"{model.body.literals:,}"),
    ]


def _size_facts(entry: PathEntry, model: Model) -> dict[str, Any]:
    return {
        "size": entry.size,
        "tests": entry.model.body.literals,
        "bound": percent_text(entry.certificate.bound),
        "here": entry.model.body == model.body,
    }
