"""Commands in processes: their states, their end, and what a later server finds of them."""

import sys
import time

from rulewright.workbench import Task, TaskRunner

PROGRAM = """
import json, os, sys, time
what, product = sys.argv[1:]
with open(os.environ["RULEWRIGHT_PROGRESS"], "w") as file:
    json.dump({"what": "counting", "done": 1, "total": 2}, file)
if what == "sleep":
    time.sleep(120)
if what == "fail":
    print(json.dumps({"error": "Wrong column."}))
    sys.exit(1)
open(product, "w").close()
print(json.dumps({"rows": 3}))
"""


def runner(**options):
    return TaskRunner([sys.executable, "-S", "-c", PROGRAM], **options)


def task_in(folder, name="task"):
    (folder / name).mkdir()
    return Task(folder / name, folder / name / "product")


def wait(condition):
    """Wait for something that must happen, however slow the machine is."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within a minute")


def ended(tasks, *all_tasks):
    wait(lambda: all(tasks.state(each) not in ("waiting", "running") for each in all_tasks))


def test_a_command_ends_with_its_product_or_its_error(tmp_path):
    tasks, good, bad = runner(), task_in(tmp_path, "good"), task_in(tmp_path, "bad")
    tasks.start(good, ["make", str(good.product)])
    tasks.start(bad, ["fail", str(bad.product)])
    ended(tasks, good, bad)
    assert (tasks.state(good), good.result) == ("done", {"rows": 3})
    assert good.progress == {"what": "counting", "done": 1, "total": 2}
    assert (tasks.state(bad), bad.result) == ("failed", {"error": "Wrong column."})
    tasks.start(bad, ["make", str(bad.product)])
    ended(tasks, bad)
    assert tasks.state(bad) == "done"
    tasks.close()


def test_what_waits_and_what_runs_can_be_cancelled(tmp_path):
    tasks, runs, waits = runner(max_running=1), task_in(tmp_path, "a"), task_in(tmp_path, "b")
    tasks.start(runs, ["sleep", str(runs.product)])
    tasks.start(waits, ["make", str(waits.product)])
    wait(lambda: runs.progress)
    assert (tasks.state(runs), tasks.state(waits)) == ("running", "waiting")
    tasks.cancel(waits)
    tasks.cancel(runs)
    ended(tasks, runs, waits)
    assert (tasks.state(runs), tasks.state(waits)) == ("cancelled", "cancelled")
    tasks.close()
    assert not waits.product.exists()


def test_a_later_server_finds_what_still_runs_and_can_end_it(tmp_path):
    killed, task = runner(), task_in(tmp_path)
    killed.start(task, ["sleep", str(task.product)])
    wait(lambda: task.progress)
    later = runner()
    assert later.state(task) == "running"
    later.cancel(task)
    ended(later, task)
    assert later.state(task) == "cancelled"
    for each in (killed, later):
        each.close()


def test_closing_ends_what_runs(tmp_path):
    tasks, task = runner(), task_in(tmp_path)
    tasks.start(task, ["sleep", str(task.product)])
    wait(lambda: task.progress)
    tasks.close()
    assert not task.is_running
    assert task.state() == "cancelled"


def test_what_was_lost_is_failed(tmp_path):
    task = task_in(tmp_path)
    task.prepare(["make", str(task.product)])
    assert runner().state(task) == "failed"
    assert task.log == ""
