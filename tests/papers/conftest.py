"""Lines of a table instead of dots."""

HERE = "tests/papers/"


def pytest_report_teststatus(report):
    if not report.nodeid.startswith(HERE) or report.when != "call":
        return None
    if hasattr(report, "wasxfail"):
        return ("xfailed", "", "XFAIL") if report.skipped else None
    return ("passed", "", "PASSED") if report.passed else None
