"""Takes the picture of a report, with a browser: Chromium, Chrome or Edge.

``python docs/pictures/report.py OUT.png`` learns from the table of the README, writes its report,
and takes a picture of the upper part.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "microsoft-edge")
SIZE = "1000,1150"


def browser() -> str:
    """Path of the first browser that is found."""
    found = [path for name in BROWSERS if (path := shutil.which(name))]
    if not found:
        sys.exit(f"One of these programs is needed to take the picture: {', '.join(BROWSERS)}.")
    return found[0]


def main(out: Path) -> None:
    """Write the picture."""
    program = browser()
    rulewright = str(Path(sys.executable).parent / "rulewright")
    with tempfile.TemporaryDirectory() as folder:

        def run(*command: str) -> None:
            subprocess.run(command, cwd=folder, check=True, capture_output=True)

        run(rulewright, "data", "wdbc", "--out", "wdbc.csv")
        options = ("--target", "class", "--max-rules", "3", "--out", "model.json")
        run(rulewright, "fit", "wdbc.csv", *options, "--report", "report.html")
        run(
            program,
            *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *(f"--window-size={SIZE}", f"--screenshot={out}", f"file://{folder}/report.html"),
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
