"""Message codes: prefix codes in which a compression set describes a model."""

__all__ = [
    "COMBINATIONS",
    "Code",
    "Codebook",
    "CodedRule",
    "CompressedMachine",
    "Compression",
    "Decoder",
    "Encoder",
    "LengthEncoder",
    "canonical_model",
    "combinations_in",
    "compress_machine",
    "count_nats",
    "decode_structure",
    "encode_structure",
    "kind_name",
    "number_nats",
    "rebuild_machine",
    "rebuilt_structure",
    "structure_message",
    "written_message",
]

from rulewright.certificates.codes.canonical_model import canonical_model
from rulewright.certificates.codes.codebook import COMBINATIONS, Codebook, combinations_in
from rulewright.certificates.codes.machine_code import (
    CodedRule,
    CompressedMachine,
    compress_machine,
    rebuild_machine,
)
from rulewright.certificates.codes.model_code import Code, Compression
from rulewright.certificates.codes.prefix_code import Decoder, Encoder, LengthEncoder
from rulewright.certificates.codes.structure_code import (
    decode_structure,
    encode_structure,
    kind_name,
    rebuilt_structure,
    structure_message,
)
from rulewright.certificates.codes.written_rules import (
    count_nats,
    number_nats,
    written_message,
)
