"""A program that computes squares slowly, cell by cell: numbers, store, processes."""

import sys
import time
from pathlib import Path

from rulewright.data import ResultStore
from rulewright.experiments import Cell, ResultPage, ResultTable, cell_function, run_cells


@cell_function
def square(parameters, context):
    with Path(parameters["log"]).open("a") as log:
        log.write(f"{parameters['number']}\n")
    time.sleep(context)
    return {"square": parameters["number"] ** 2}


def main(store, log, seconds, jobs):
    cells = [Cell.of(square, number=number, log=log) for number in range(8)]
    with ResultStore(store) as results:
        found = run_cells(cells, store=results, jobs=int(jobs), context=float(seconds))
    rows = [[result.cell.parameters["number"], result.values["square"]] for result in found]
    print(ResultPage("Squares", [ResultTable("All", ["number", "square"], rows)]).markdown())


if __name__ == "__main__":
    main(*sys.argv[1:])
