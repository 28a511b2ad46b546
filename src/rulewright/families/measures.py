"""Kernels and metrics as parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.errors import InputError
from rulewright.rules import KERNELS, METRICS, Kernel, Metric


def as_kernel(spec: Any, gamma: float = 1.0, degree: int = 3, coef0: float = 0.0) -> Kernel:
    """Kernel of the parameter ``kernel``: a name, a function of two points, or a Kernel."""
    if isinstance(spec, Kernel):
        return spec
    if callable(spec):
        return Kernel("function", name=_name(spec), function=spec)
    if not isinstance(spec, str) or spec not in KERNELS or spec == "function":
        raise InputError(f"kernel must be {_listed(KERNELS)}, got {spec!r}.")
    if spec == "rbf":
        return Kernel("rbf", gamma=_number("gamma", gamma))
    if spec == "polynomial":
        if not isinstance(degree, int | np.integer) or not 0 <= degree <= 64:
            raise InputError(f"degree must be a whole number from 0 to 64, got {degree!r}.")
        shape = _number("gamma", gamma), _number("coef0", coef0)
        return Kernel("polynomial", *shape, int(degree))
    return Kernel(spec)  # type: ignore[arg-type]


def as_metric(spec: Any, kernel: Kernel) -> Metric:
    """Metric of the parameter ``metric``: a name, a function of two points, or a Metric."""
    if isinstance(spec, Metric):
        return spec
    if callable(spec):
        return Metric("function", name=_name(spec), function=spec)
    if not isinstance(spec, str) or spec not in METRICS or spec == "function":
        raise InputError(f"metric must be {_listed(METRICS)}, got {spec!r}.")
    return Metric("kernel", kernel) if spec == "kernel" else Metric(spec)  # type: ignore[arg-type]


def _listed(known: tuple[str, ...]) -> str:
    names = ", ".join(repr(name) for name in known if name != "function")
    return f"one of {names}, or a function of two points"


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InputError(f"{name} must be a number, got {value!r}.")
    if not np.isfinite(value):
        raise InputError(f"{name} must be finite, got {value!r}.")
    return float(value)
