"""Databases that run the queries of exports: a PostgreSQL server of the tests, and ClickHouse."""

import getpass
import json
import math
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from sqlglot import exp

from rulewright.data import CategoricalColumn
from rulewright.exports import SqlEngine

TYPES = {
    "numeric": "DOUBLE PRECISION",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "instant": "TIMESTAMPTZ",
    "duration": "INTERVAL",
}
CLICKHOUSE_TYPES = {
    "numeric": "Float64",
    "boolean": "Bool",
    "date": "Date32",
    "datetime": "DateTime64(6, 'UTC')",
}
SERVER_USER = "postgres"
"""Who runs the server where the tests run as root, whom PostgreSQL refuses."""


def postgres_program(name):
    """Path of a program of PostgreSQL's server; None if it is not installed."""
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or next((str(path) for path in reversed(debian)), None)


@contextmanager
def postgres_server():
    """A server with a database of its own, at a socket in a temporary folder: its address."""
    user = SERVER_USER if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        if user:
            shutil.chown(folder, user)
        as_user = {"user": user, "cwd": folder, "env": {**os.environ, "HOME": folder}}
        place = f"{folder}/data"
        initial = ["--auth=trust", f"--username={getpass.getuser()}", "--encoding=UTF8"]
        initial += ["--locale=C.UTF-8", "--no-sync", f"--pgdata={place}"]
        command = [postgres_program("initdb"), *initial]
        subprocess.run(command, check=True, capture_output=True, timeout=120, **as_user)
        options = ["-c", "listen_addresses=", "-c", "fsync=off", "-k", folder]
        with Path(folder, "log").open("wb") as log:
            command = [postgres_program("postgres"), "-D", place, *options]
            server = subprocess.Popen(command, stdout=log, stderr=log, **as_user)
        try:
            yield f"postgresql:///postgres?host={folder}&user={getpass.getuser()}"
        finally:
            server.send_signal(subprocess.signal.SIGINT)
            server.wait(60)


class PostgresEngine(SqlEngine):
    """A PostgreSQL server."""

    title = "postgres"
    dialect = "postgres"
    overflows = False

    def __init__(self, connection):
        self.connection = connection

    def query(self, columns, rows, key, text):
        from psycopg import sql

        connection = self.connection
        connection.execute("DROP TABLE IF EXISTS rows")
        named = [(key, "BIGINT"), *((c.name, TYPES.get(c.kind, "TEXT")) for c in columns)]
        listed = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind)) for name, kind in named
        )
        connection.execute(sql.SQL("CREATE TEMP TABLE rows ({})").format(listed))
        cells = [_cells(column) for column in columns]
        with connection.cursor() as cursor:
            with cursor.copy("COPY rows FROM STDIN") as copy:
                for row in zip(range(rows), *cells, strict=True):
                    copy.write_row(row)
            return cursor.execute(text).fetchall()


def _cells(column):
    """Cells of a column as PostgreSQL reads them; missing numbers are NaN and NULL by turns."""
    if isinstance(column, CategoricalColumn):
        return column.cells()
    moment = column.field.moment
    if moment is None:
        return [None if math.isnan(x) and n % 2 else x for n, x in enumerate(column.values)]
    if moment == "duration":
        return [None if math.isnan(x) else f"{int(x)} microseconds" for x in column.values]
    return column.cells()


class ClickhouseEngine(SqlEngine):
    """ClickHouse inside this process."""

    title = "clickhouse"
    dialect = "clickhouse"

    def __init__(self, session):
        self.session = session

    def query(self, columns, rows, key, text):
        kinds = {column.name: CLICKHOUSE_TYPES.get(column.kind, "String") for column in columns}
        named = [f"{_quoted(key)} Int64"]
        named += [f"{_quoted(name)} Nullable({kind})" for name, kind in kinds.items()]
        self.session.query("DROP TABLE IF EXISTS rows")
        self.session.query(f"CREATE TABLE rows ({', '.join(named)}) ENGINE = Memory")
        cells = [_clickhouse_cells(column) for column in columns]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.json")
            lines = zip(range(rows), *cells, strict=True)
            path.write_text("".join(f"{_json_row(line)}\n" for line in lines), "utf-8")
            self.session.query(f"INSERT INTO rows FROM INFILE '{path}' FORMAT JSONCompactEachRow")
        found = self.session.query(text.rstrip().rstrip(";"), "JSONCompactEachRow")
        return [tuple(json.loads(line)) for line in str(found).splitlines()]


def _clickhouse_cells(column):
    cells = _cells(column)
    if column.kind != "boolean":
        return cells
    return [None if cell is None else cell == "True" for cell in cells]


def _quoted(name):
    return exp.to_identifier(name, quoted=True).sql(dialect="clickhouse")


def _json_row(cells):
    """A line of JSON; numbers that JSON has not are texts."""
    plain = [str(x) if isinstance(x, float) and not math.isfinite(x) else x for x in cells]
    return json.dumps(plain)
