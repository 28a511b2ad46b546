"""Message codes: prefix codes in which a compression set describes a model."""

__all__ = [
    "COMBINATIONS",
    "Code",
    "CompressedMachine",
    "Compression",
    "compress_machine",
    "rebuild_machine",
]

from rulewright.certificates.codes.codebook import COMBINATIONS
from rulewright.certificates.codes.machine_code import (
    CompressedMachine,
    compress_machine,
    rebuild_machine,
)
from rulewright.certificates.codes.model_code import Code, Compression
