"""What a decoder reads of a text that goes on behind its last end: as in the reference, which takes
the states at the last end token."""

from __future__ import annotations

import pytest

from core.loaded import LoadedModel
from tests.core.families import reference
from tests.core.families.conftest import Build
from tests.core.families.test_classifiers import REREADERS, classifier
from tests.core.families.test_parity import near

PAD = 1
TEXTS = {
    "BART": [[0, 7, 8, 2], [0, 7, 8, 2, 9, 10], [0, 7, 2, 8, 2, 9], [0, 7, PAD, 9, 2]],
    "mBART": [[0, 7, 8, 2], [0, 7, 8, 2, 77], [0, 7, PAD, 9, 2], [0, 7, PAD, 9, 2, PAD, 77]],
    "T5": [[5, 7, 8, 1], [5, 7, 8, 1, 9, 10], [5, 1, 8, 1, 9]],
    "mT5": [[5, 7, 8, 1], [5, 7, 8, 1, 9, 10]],
}


@pytest.mark.parametrize("name", REREADERS)
def test_classes_of_texts_however_they_end(build: Build, name: str) -> None:
    stem, _ = REREADERS[name]
    case = build(
        classifier(
            name.replace("mT5", "T5"), stem, model_type=stem.lower(), decoder_start_token_id=6
        )
    )
    model = LoadedModel(name="tiny", source="", spec=case.spec, network=case.network)
    for ids in TEXTS[name]:
        theirs = reference.ask(case.model, ids).heads["classes"]
        near(model.trace(ids=ids).heads["classes"], theirs, f"classes of {ids}")
