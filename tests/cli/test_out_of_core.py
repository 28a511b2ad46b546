"""fit --out-of-core: the same model file, from counts of rows that stay in the file."""

import sys

import duckdb
import numpy as np
import polars as pl
import pytest

TREE = ("--target", "class", "--learner", "tree", "--max-depth", "2", "--quiet")
LIST = ("--target", "class", "--learner", "dlm", "--max-rules", "3", "--quiet")
RULES = ("--target", "class", "--learner", "tree-rules", "--min-samples-leaf", "20")
RULES += ("--forbid", "age", "--quiet")


@pytest.fixture
def parquet(tmp_path, table):
    path = tmp_path / "people.parquet"
    pl.read_csv(table).write_parquet(path)
    return path


@pytest.fixture
def database(tmp_path, parquet):
    path = tmp_path / "warehouse.db"
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE \"the people\" AS FROM '{parquet}'")
        connection.execute("CREATE TABLE other AS SELECT 1 AS x")
    return path


@pytest.mark.slow
def test_the_model_file_is_that_of_rows_in_memory(rulewright, tmp_path, parquet, database):
    sources = {
        "memory": [parquet, "--certificate", "none"],
        "parquet": [parquet, "--out-of-core"],
        "address": [f"duckdb:///{database}?table=the%20people"],
        "table": [database, "--table", "the people", "--out-of-core"],
    }
    files = {}
    for name, arguments in sources.items():
        path = tmp_path / f"{name}.json"
        found = rulewright("fit", *arguments, *TREE, "--out", path)
        assert found.code == 0, found.err
        files[name] = path.read_bytes()
    assert len(set(files.values())) == 1
    assert "The model has no certificate: a certificate in the compression form" in found.err
    assert "Wrong on " in found.out and "rows, " in found.out


def test_json_and_a_model_without_a_profile(rulewright, tmp_path, parquet):
    path = tmp_path / "m.json"
    found = rulewright("fit", parquet, *TREE, "--out-of-core", "--json", "--no-profile", "-o", path)
    assert found.json["rows"] == 300 and found.json["certificate"] is None
    assert found.json["training_errors"] <= 150 and found.json["model"] == str(path)
    assert "profile" not in path.read_text()


def test_a_sample_is_drawn_by_key_and_the_message_says_so(rulewright, tmp_path, table):
    path = tmp_path / "numbered.parquet"
    pl.read_csv(table).with_row_index("number").write_parquet(path)
    given = ("fit", path, "--target", "class", "--learner", "ripper", "--out-of-core")
    found = rulewright(*given, "--key", "number", "--sample-rows", "100", "--json")
    assert found.code == 0, found.err
    assert 60 < found.json["training_rows"] < 140 and found.json["rows"] == 300
    assert any("those with the smallest hashes" in caution for caution in found.json["cautions"])
    found = rulewright(*given)
    assert found.code == 1 and "set sample_rows, for example to 100000" in found.err


def test_rows_that_stay_in_a_file_give_ripper_the_rules_of_memory(rulewright, tmp_path, table):
    path = tmp_path / "numbered.parquet"
    pl.read_csv(table).with_row_index("number").write_parquet(path)
    given = ("fit", path, "--target", "class", "--learner", "ripper", "--key", "number", "-k", 0)
    files = {}
    for way in ("--all", "--out-of-core"):
        files[way] = tmp_path / f"m{way}.json"
        found = rulewright(*given, "--certificate", "none", way, "--out", files[way])
        assert found.code == 0, found.err
    assert len({file.read_bytes() for file in files.values()}) == 1
    text = rulewright(*given, "--out-of-core", "--dry-run").out
    assert "scans of the table for each rule. The number of rules is not known." in text


ADDRESS = "postgres://me:{password}@db.example/claims?sslmode=require&table=people"
PASSWORD = "s3cret-word"


class Server:
    """A database server that is a file of DuckDB."""

    def __init__(self, relation):
        self.relation, self.asked = relation, []

    def connect(self, address):
        self.asked.append(address)
        if self.relation is None:
            raise ValueError(f"cannot parse {address}")
        return self

    def list_tables(self):
        return ["other", "people"]

    def table(self, name):
        self.asked.append(name)
        return self.relation

    def disconnect(self):
        self.asked.append("disconnect")


@pytest.mark.parametrize("option", ["--out", "--dry-run"])
def test_a_table_of_a_server_is_counted_there(rulewright, monkeypatch, tmp_path, parquet, option):
    server = Server(duckdb.connect().read_parquet(str(parquet)))
    monkeypatch.setitem(sys.modules, "ibis", server)
    path = tmp_path / "m.json"
    arguments = [option, path] if option == "--out" else [option]
    address = ADDRESS.format(password=PASSWORD)
    found = rulewright("fit", address, *LIST, *arguments)
    assert found.code == 0, found.err
    plain = f"postgres://me:{PASSWORD}@db.example/claims?sslmode=require"
    assert server.asked == [plain, "people", "disconnect"]
    assert PASSWORD not in found.out + found.err
    if option == "--out":
        memory = tmp_path / "memory.json"
        rulewright("fit", parquet, *LIST, "--certificate", "none", "--out", memory)
        assert path.read_bytes() == memory.read_bytes()
    else:
        assert "scans for 3 rules.\n" in found.out and "GB" not in found.out


@pytest.mark.parametrize(
    ("server", "message"),
    [(Server(None), "Cannot connect to PostgreSQL at db.example"), (None, "packages ibis and")],
)
def test_messages_never_show_the_address(rulewright, monkeypatch, server, message):
    monkeypatch.setitem(sys.modules, "ibis", server)
    found = rulewright("fit", ADDRESS.format(password=PASSWORD), *LIST)
    assert found.code != 0 and message in " ".join(found.err.split())
    assert PASSWORD not in found.out + found.err


def test_a_dry_run_estimates_scans(rulewright, parquet):
    found = rulewright("fit", parquet, *TREE, "--out-of-core", "--dry-run", "--json")
    facts = found.json
    assert facts["bytes"] == parquet.stat().st_size and facts["rows"] == 300
    assert facts["scans"] == 2 * facts["scans_per_level"] + 7
    text = rulewright("fit", parquet, *TREE, "--out-of-core", "--dry-run").out
    assert f"About {facts['scans']} scans for 2 levels" in text
    deep = [word for word in TREE if word not in ("--max-depth", "2")]
    text = rulewright("fit", parquet, *deep, "--out-of-core", "--dry-run").out
    assert "so the number of levels is not known" in text


@pytest.mark.parametrize(
    ("options", "estimate"),
    [
        (LIST, "scans of the table for each rule. About 25 scans for 3 rules"),
        (RULES, "scans of the table for each level. The number of levels is not known"),
    ],
)
def test_a_list_is_that_of_rows_in_memory(rulewright, tmp_path, parquet, options, estimate):
    files = {}
    for way in ("--out-of-core", "--certificate=none"):
        path = tmp_path / f"{way}.json"
        found = rulewright("fit", parquet, *options, way, "--out", path)
        assert found.code == 0, found.err
        files[way] = path.read_bytes()
    assert len(set(files.values())) == 1
    text = rulewright("fit", parquet, *options, "--out-of-core", "--dry-run").out
    assert estimate in " ".join(text.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out-of-core", "--front"], "--front needs the rows in memory: leave it out, or"),
        (["--learner", "slipper", "--out-of-core", "--dry-run"], "'slipper' needs the rows in"),
        (["--learner", "ripper", "--out-of-core", "--dry-run"], "Name a column of whole numbers"),
        (["--learner", "auto", "--out-of-core"], "auto chooses among learners by a split"),
        (["--dry-run"], "--dry-run estimates scans of a table that stays in its file: add"),
        (["--out-of-core", "--drop", "agee"], "has no column 'agee'"),
    ],
)
def test_what_needs_rows_in_memory_is_refused(rulewright, parquet, arguments, message):
    options = TREE if "--learner" not in arguments else TREE[:2]
    found = rulewright("fit", parquet, *options, *arguments)
    assert found.code == 1 and message in found.err.replace("\n", " ")


def test_files_without_types_are_refused(rulewright, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,class\n1,a\n2,b\n")
    found = rulewright("fit", path, *TREE, "--out-of-core")
    assert found.code == 1 and "d.csv cannot be counted without reading it" in found.err


@pytest.mark.parametrize("address", ["duckdb://host/w.db", "duckdb:///", "duckdb:///w.db?tabel=t"])
def test_a_wrong_address_is_refused(rulewright, address):
    found = rulewright("fit", address, *TREE)
    assert found.code == 1 and "DATA must be like duckdb:///warehouse.db?table=claims" in found.err


@pytest.mark.slow
def test_a_split_by_key_is_learnt_and_checked_where_the_rows_are(rulewright, tmp_path, parquet):
    keyed = tmp_path / "keyed.parquet"
    pl.read_parquet(parquet).with_row_index("number").write_parquet(keyed)
    files = {}
    for name, way in (("lazy", ["--out-of-core"]), ("memory", [])):
        files[name] = tmp_path / f"{name}.json"
        options = ("--certificate", "split", "--n-splits", "1", "--key", "number")
        found = rulewright("fit", keyed, *TREE, *options, *way, "--out", files[name])
        assert found.code == 0, found.err
        assert "of new cases will be misclassified (95 % confidence)" in found.out
    for way in ([], ["--out-of-core"]):
        found = rulewright("certify", files["lazy"], keyed, *way)
        assert found.code == 0, found.err
        assert "The certificate holds" in found.out
    assert rulewright("certify", files["memory"], keyed, "--out-of-core").code == 0
    fewer = tmp_path / "fewer.parquet"
    pl.read_parquet(keyed).head(250).write_parquet(fewer)
    assert rulewright("certify", files["lazy"], fewer, "--out-of-core").code == 3
    found = rulewright("certify", files["lazy"], keyed, "--out-of-core", "--rules")
    assert found.code != 0 and "--rules needs the rows in memory" in found.err


@pytest.mark.slow
def test_a_column_of_the_order_gives_cautions(rulewright, tmp_path):
    rows = 2_000
    late = np.arange(rows) >= rows // 2
    wrong = np.random.default_rng(0).random(rows) < np.where(late, 0.3, 0.05)
    x = np.random.default_rng(1).random(rows)
    path, out = tmp_path / "claims.parquet", tmp_path / "model.json"
    pl.DataFrame(
        {"number": np.arange(rows), "day": np.arange(rows) // 3, "x": x, "class": (x > 0.5) ^ wrong}
    ).write_parquet(path)
    options = ("--certificate", "split", "--n-splits", "1", "--key", "number", "--max-depth", "1")
    told = "The model's errors become more frequent along 'day': "
    given = ("fit", path, "--target", "class", "--learner", "tree", *options, "--out", out)
    found = rulewright(*given, "--out-of-core", "--order-by", "day")
    assert found.code == 0 and told in " ".join(found.err.split())
    found = rulewright("certify", out, path, "--out-of-core", "--order-by", "day", "--json")
    assert found.code == 0 and found.json["cautions"][0].startswith(told)
    found = rulewright(*given, "--out-of-core", "--overwrite")
    assert found.code == 0 and "as order_by" in " ".join(found.err.split())
    for command in (("certify", out, path), (*given, "--overwrite")):
        found = rulewright(*command, "--order-by", "day")
        assert found.code == 1 and "which have no order: add --out-of-core" in found.err


def test_an_enum_of_duckdb_is_ordered_in_its_file_and_in_memory(rulewright, tmp_path):
    path = tmp_path / "sizes.db"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TYPE size AS ENUM ('small', 'medium', 'large')")
        connection.execute(
            "CREATE TABLE t AS SELECT (['small', 'medium', 'large'])[1 + i % 3]::size AS size, "
            "DATE '1969-12-01' + (i % 50)::INT AS day, i % 3 < 2 AND i % 50 > 20 AS class "
            "FROM range(300) AS r(i)"
        )
    files = []
    for name, more in {"memory": ["--certificate", "none"], "file": ["--out-of-core"]}.items():
        out = tmp_path / f"{name}.json"
        found = rulewright("fit", path, *TREE, *more, "--out", out)
        assert found.code == 0, found.err
        files.append(out.read_bytes())
    assert files[0] == files[1]
    assert "size <= medium" in found.out or "size = large" in found.out
    assert b'"order"' in files[0] and "day > 1969-12-21" in found.out
