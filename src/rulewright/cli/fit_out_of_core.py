"""Learning from a table that stays in its file."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

import numpy as np
import typer

from rulewright.cli.console import busy, gathered, out, print_json, warn
from rulewright.cli.learner_options import given_settings
from rulewright.cli.outputs import exit_on_signals
from rulewright.cli.show import certificate_json, print_model, rules_json
from rulewright.data import (
    POSTGRES_PREFIXES,
    DataFile,
    LazyTable,
    ServerTable,
    open_data,
    open_server_table,
)
from rulewright.errors import InputError
from rulewright.learners import Settings, check_classes, learn_lazily, settings_for_counts
from rulewright.models import Model, save_model

PREFIX = "duckdb://"


@dataclass(frozen=True)
class Source:
    """File and table of DATA, and whether the rows stay there.

    A table on a server has an address, which may hold a password, instead of a path.
    """

    path: Path | None
    table: str | None
    stays: bool
    address: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """What messages call it."""
        return "the database" if self.path is None else self.path.name

    @property
    def size(self) -> int | None:
        """Number of bytes of the file."""
        return None if self.path is None else self.path.stat().st_size

    def open(self) -> AbstractContextManager[DataFile | ServerTable]:
        """Open the file, or connect to the server."""
        if self.path is None:
            return open_server_table(self.address, self.table)
        return open_data(self.path, self.table)


def read_source(source: str, table: str | None, *, out_of_core: bool) -> Source:
    """Read where the rows are.

    An address of DuckDB has three slashes before a path from the current folder, and four before
    one from the root.

    Examples
    --------
    >>> read_source("duckdb:///warehouse.db?table=claims", None, out_of_core=False)
    Source(path=PosixPath('warehouse.db'), table='claims', stays=True)
    """
    if source.startswith(POSTGRES_PREFIXES):
        return _server(source, table)
    if not source.startswith(PREFIX):
        return Source(Path(source), table, out_of_core)
    parts = urlsplit(source)
    query = parse_qs(parts.query)
    if parts.netloc or not parts.path[1:] or set(query) - {"table"}:
        raise InputError(f"DATA must be like duckdb:///warehouse.db?table=claims, got {source!r}.")
    return Source(Path(parts.path[1:]), query.get("table", [table])[0], True)


def _server(address: str, table: str | None) -> Source:
    """Table on a server; other parameters of the address are for the server."""
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    tables = [value for name, value in pairs if name == "table"]
    others = urlencode([pair for pair in pairs if pair[0] != "table"])
    address = urlunsplit(parts._replace(query=others))
    return Source(None, tables[0] if tables else table, True, address)


def refuse_options(given: Mapping[str, object]) -> None:
    """Refuse options that need the rows in memory."""
    used = [name for name, value in given.items() if value]
    if used:
        raise InputError(
            f"{used[0]} needs the rows in memory: leave it out, or learn without --out-of-core."
        )


@dataclass(frozen=True, eq=False)
class LazyFit:
    """A fit of a table that stays where it is."""

    source: Source
    target: str
    drop: Sequence[str]
    key: str | None
    order_by: str | None
    out_path: Path | None
    no_profile: bool
    silent: bool

    def run(self, context: typer.Context, *, dry_run: bool, json: bool, whole: bool) -> None:
        """Learn a model, write it and print it; a dry run prints an estimate only."""
        with (
            busy(self.silent) as report_progress,
            gathered(UserWarning) as warned,
            self.source.open() as file,
        ):
            file.need([self.target, *self.drop, *(n for n in (self.key, self.order_by) if n)])
            report_progress(f"counting the rows of {self.source.name}", 0, None)
            start = time.perf_counter()
            drop = [*self.drop, *([self.order_by] if self.order_by else [])]
            lazy = LazyTable(file.lazy_frame(), self.target, drop=drop, key=self.key)
            settings = given_settings(context, lazy.classes)
            check_classes(
                np.array(lazy.classes, object),
                np.arange(len(lazy.classes), dtype=np.int32),
                f"--learner {settings.learner}",
                settings.max_classes,
                "Use --learner tree, or merge classes.",
            )
            if dry_run:
                settings = settings_for_counts(settings, lazy)
            else:
                path = learn_lazily(
                    settings, lazy, order_by=self.order_by, progress=report_progress
                )
        if dry_run:
            self._estimate(lazy, settings, json=json)
            return
        model = path.entry.model
        if self.out_path is not None:
            with exit_on_signals():
                saved = replace(model, profile=None) if self.no_profile else model
                save_model(saved, self.out_path)
        cautions = () if model.certificate is None else model.certificate.cautions
        facts: dict[str, Any] = {
            "learner": path.description,
            "rules": rules_json(model),
            "certificate": model.certificate and certificate_json(model.certificate),
            "cautions": list(dict.fromkeys((*warned, *path.notices, *cautions))),
            "training_errors": path.entry.errors,
            "training_rows": _cases(model),
            "rows": lazy.rows,
            "columns": len(lazy.fields),
            "seconds": round(time.perf_counter() - start, 4),
        }
        if json:
            print_json(facts | ({"model": str(self.out_path)} if self.out_path else {}))
            return
        console = out(*([self.out_path] if self.out_path else []))
        print_model(model, console, whole=whole)
        console.print(
            f"Wrong on {path.entry.errors:,} of {_cases(model):,} training cases.\n"
            f"{lazy.rows:,} rows, {len(lazy.fields):,} columns; {path.description}; "
            f"{facts['seconds']:.2f} s"
        )
        if self.out_path is not None:
            console.print(f"model: {self.out_path}")
        warn(facts["cautions"])

    def _print_sample(self, lazy: LazyTable, settings: Settings, *, json: bool) -> None:
        """Print the number of rows that a sample would have."""
        rows = min(settings.sample_rows or 0, lazy.rows)
        if json:
            print_json({"rows": lazy.rows, "columns": len(lazy.fields), "sample_rows": rows})
            return
        out().print(
            f"{lazy.rows:,} rows, {len(lazy.fields):,} columns.\n"
            f"One scan of the table takes about {rows:,} rows into memory, for each split."
        )

    def _estimate(self, lazy: LazyTable, settings: Settings, *, json: bool) -> None:
        """Print the scans of the table that a fit would take."""
        if settings.sample_rows is not None:
            self._print_sample(lazy, settings, json=json)
            return
        each, parameter = settings.rounds
        rounds = getattr(settings, parameter, None)
        scans = None if rounds is None else lazy.estimated_scans(rounds)
        size = self.source.size
        facts: dict[str, Any] = {
            "rows": lazy.rows,
            "columns": len(lazy.fields),
            "bytes": size,
            "scans": scans,
            f"scans_per_{each}": settings.scans_per_round(lazy),
        }
        if json:
            print_json(facts)
            return
        option = f"There is no --{parameter.replace('_', '-')}, so the" if parameter else "The"
        total = (
            f"{option} number of {each}s is not known."
            if scans is None
            else f"About {scans} scans for {rounds} {each}s"
            + ("." if size is None else f", at most {scans * size / 1e9:,.3f} GB in all.")
        )
        disk = "" if size is None else f", {size / 1e9:,.3f} GB"
        out().print(
            f"{lazy.rows:,} rows, {len(lazy.fields):,} columns{disk}.\n"
            f"About {facts[f'scans_per_{each}']} scans of the table for each {each}. "
            f"{total}"
        )


def _cases(model: Model) -> int:
    """Number of rows that a model was learnt from."""
    return round(float(np.sum(model.evidence)))
