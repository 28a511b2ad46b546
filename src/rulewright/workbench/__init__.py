"""Workbench: a local server with pages on which a person fits, compares, edits and exports models.

A session is a folder of files. The server reads it anew for each page, so that nothing that was
saved depends on the browser or on the server. Models are fitted and certified by the commands of
the command line, each in a process of its own. The server listens on the loopback address only, and
answers only requests with its token. May import: all packages except cli.
"""

__all__ = [
    "Body",
    "FieldKind",
    "LearnerForm",
    "OptionField",
    "RequestError",
    "Session",
    "StoredModel",
    "StoredTable",
    "Task",
    "TaskRunner",
    "Workbench",
    "WorkbenchServer",
    "export_values",
    "fit_arguments",
]

from rulewright.workbench.forms import (
    FieldKind,
    LearnerForm,
    OptionField,
    export_values,
    fit_arguments,
)
from rulewright.workbench.responses import RequestError
from rulewright.workbench.server import WorkbenchServer
from rulewright.workbench.session import Session, StoredModel, StoredTable
from rulewright.workbench.tasks import Task, TaskRunner
from rulewright.workbench.workbench import Body, Workbench
