"""Message of any arrangement: its structure, its literals, and the examples in them.

``encode_structure`` writes a model; ``decode_structure`` rebuilds it from the message, the
compression set and what is known before (a ``Codebook``). The message starts with what needs no
condition: number of rules, their outputs, shape of a tree. Conditions follow, and then the examples
in the places of the literals, since these places are known by then. Set covering machines and
decision lists of single literals have a shorter message (``machine_message``).
"""

from __future__ import annotations

import numpy as np

from rulewright.bounds import Message
from rulewright.certificates.codes.canonical_model import canonical_model, canonical_tree_parts
from rulewright.certificates.codes.codebook import Codebook
from rulewright.certificates.codes.prefix_code import (
    Decoder,
    Encoder,
    LengthEncoder,
    ListDecoder,
    ListEncoder,
)
from rulewright.certificates.codes.structure_decoder import StructureDecoder
from rulewright.certificates.codes.structure_encoder import StructureEncoder
from rulewright.certificates.codes.structure_layout import KINDS
from rulewright.errors import CertificateError, InputError
from rulewright.families import Examples
from rulewright.rules import Arrangement, Tree


def structure_message(body: Arrangement, codebook: Codebook) -> tuple[tuple[int, ...], Message]:
    """Return the compression set of a model, and the parts of its message with their lengths.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright.data import NumericColumn, Table
    >>> from rulewright.families import Thresholds
    >>> from rulewright.rules import Rule, RuleList, Threshold
    >>> codebook = Codebook(Table([NumericColumn("a", np.empty(0))], 0), (Thresholds(),), 2)
    >>> rule = Rule(Threshold("a", above=True, cut=3.0, anchored_on=(7,)), 1)
    >>> rows, message = structure_message(RuleList((rule,), 0), codebook)
    >>> rows, [name for name, _ in message]
    ((7,), ['how many rules', 'which answers', 'which columns and tests'])
    """
    lengths = LengthEncoder()
    rows = encode_structure(body, codebook, lengths)
    return rows, lengths.message


def encode_structure(body: Arrangement, codebook: Codebook, encoder: Encoder) -> tuple[int, ...]:
    """Write a model; return the training rows of its compression set, in increasing order.

    Raises
    ------
    CertificateError
        If the code has no message for the model.
    """
    try:
        writer = StructureEncoder(codebook, encoder)
        if isinstance(body, Tree):
            return writer.tree(canonical_tree_parts(body, codebook))
        return writer.arrangement(canonical_model(body, codebook))
    except InputError as error:
        raise CertificateError(f"No message describes this model: {error}") from error


def decode_structure(
    kind: str, codebook: Codebook, examples: Examples, decoder: Decoder
) -> Arrangement:
    """Return the model of a kind that a message and a compression set describe."""
    return StructureDecoder(codebook, examples, decoder).arrangement(kind)


def rebuilt_structure(body: Arrangement, codebook: Codebook, training: Examples) -> Arrangement:
    """Return the model that a model's own message and compression set describe.

    Every literal is built again from its rows, so that a changed number comes back as it was. If
    the result is not ``canonical_model(body, codebook)``, the message describes another model.
    """
    recorded = ListEncoder()
    rows = np.array(encode_structure(body, codebook, recorded), np.intp)
    examples = training.take(rows)
    return decode_structure(kind_name(body), codebook, examples, ListDecoder(recorded.numbers))


def kind_name(body: Arrangement) -> str:
    """Return the name of an arrangement's kind."""
    return next(name for name, kind in KINDS.items() if isinstance(body, kind))
