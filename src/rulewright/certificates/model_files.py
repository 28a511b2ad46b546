"""Model files with their certificates: reading checks the certificate's numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from rulewright.certificates.forms import certificate_from_json, certificate_schema
from rulewright.certificates.path import PathEntry
from rulewright.certificates.regression_certificate import (
    RegressionCertificate,
    regression_certificate_schema,
)
from rulewright.models import (
    Model,
    RegressionModel,
    model_from_json,
    read_front,
    read_model,
    schema_with,
)


def load_model(
    path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., Any]] | None = None
) -> Model | RegressionModel:
    """Return the model of a JSON file that ``save_model`` wrote.

    Nothing in the file is run. The bound of the certificate is computed again from its counts. A
    file that is damaged, of another kind, of a newer version, or contradicts itself is refused.

    Parameters
    ----------
    path : path of the file
    functions : dict of str to function
        The functions that the model calls (a metric, a kernel, a given predicate), by name: a file
        holds no code.
    """
    return read_model(path, certificate_from_json, RegressionCertificate.from_json, functions)


def load_front(
    path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., Any]] | None = None
) -> list[PathEntry]:
    """Return the models of other sizes in a file that ``save_model(..., front=...)`` wrote.

    The certificate of each holds; those of one file hold all at once. The list is empty where the
    file has none.

    Parameters
    ----------
    path : path of the file
    functions : dict of str to function
        As for ``load_model``.
    """
    return [
        PathEntry(each.size, each.model, each.errors, each.model.certificate, each.usefulness)
        for each in read_front(path, certificate_from_json, functions)
    ]


def from_json(data: Any) -> Model | RegressionModel:
    """Return the model of a JSON object, with its certificate.

    Raises
    ------
    ModelFileError
        If the object is not a model, or a member of it is wrong.
    """
    return model_from_json(data, certificate_from_json, RegressionCertificate.from_json)


def model_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every model file of this version satisfies."""
    return schema_with(certificate_schema(), regression_certificate_schema())
