"""rulewright certify: whether the certificate in a file is true of the data."""

from __future__ import annotations

from rulewright.cli.options import Data, DataTable, Json, ModelPath, Target
from rulewright.cli.screen import out, print_json, warn
from rulewright.cli.show import NO_CERTIFICATE, certificate_json
from rulewright.data import labels_of, open_data
from rulewright.errors import CertificateError, InputError, preview
from rulewright.models import Certificate, RegressionModel, cautions, load_model


def certify(
    model: ModelPath,
    data: Data,
    target: Target = None,
    table: DataTable = None,
    json: Json = False,
) -> None:
    """Check a model's certificate against its training data, without fitting again.

    The model is rebuilt from the training rows it names, its errors are counted again, and the
    bound is computed again. Rows without a class are left out, as in fit --drop-unlabelled.
    """
    loaded = load_model(model)
    if isinstance(loaded, RegressionModel):
        raise CertificateError(
            f"{model.name} holds a regression model, and such a model has no certificate: "
            f"{NO_CERTIFICATE}. Compare its predictions with rows that it was not trained on."
        )
    certificate = loaded.certificate
    if certificate is None:
        raise CertificateError(f"{model.name} holds no certificate: there is nothing to check.")
    name = target or loaded.target
    if name is None:
        raise InputError(f"{model.name} does not say which column is the class: give --target.")
    with open_data(data, table) as file:
        kinds = {column.name: column.kind for column in loaded.columns}
        file.need([name, *kinds])
        whole = file.read_as(kinds | file.kinds([name]))
        ignored = [column for column in file.names if column not in whole.names]
    labels, known = labels_of(whole, name)
    # A row without a class counts as absent, as a row of weight zero does.
    labels[~known] = loaded.classes[0]
    features = whole.without([name])
    certificate.verify(loaded, features, labels, sample_weight=known)
    training = features.take(known).observed()
    told = cautions(loaded, training, loaded.codes(labels[known]))
    if json:
        print_json(
            {
                "holds": True,
                "columns_not_offered": ignored,
                **certificate_json(certificate),
                "cautions": list(told),
            }
        )
        return
    out().print(
        f"The certificate holds: {_checked(certificate, data.name)}, and the bound was computed "
        f"again.\n{certificate.sentence}"
    )
    if ignored:
        out().print(
            f"It takes for granted that these columns of {data.name} were never offered to the "
            f"learner: {preview(ignored)}."
        )
    warn(told)


def _checked(certificate: Certificate, data: str) -> str:
    """Say what was done to check it."""
    if certificate.form == "holdout":
        return (
            f"the {len(certificate.held)} rows of {data} that were held out are those that seed "
            f"{certificate.seed} draws, no rule is anchored on them, the errors on them were "
            "counted again"
        )
    rows = "row" if len(certificate.examples) == 1 else "rows"
    named = ", ".join(map(str, certificate.examples)) or "(none)"
    return f"the model was rebuilt from {rows} {named} of {data}, its errors were counted again"
