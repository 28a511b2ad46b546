"""Rulewright: classifiers that people can read, each with a certificate of its error."""

__version__ = "0.1.0"
__all__ = ["__version__"]
