"""The trainings run on the core's own modules: the loss falls; a resumed run is the same run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.model import Transformer
from core.spec import ModelSpec
from training import decoder, encoder, optim, shapes, translator
from training.command import keep_tokenizer
from training.curve import append
from training.loop import LossOf, Plan, train, trained
from training.optim import initialise, optimizers, set_rate

VOCAB = 40


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same shapes, 32 wide and two layers deep, and a short warm-up."""
    monkeypatch.setattr(shapes, "D_MODEL", 32)
    monkeypatch.setattr(shapes, "D_HEAD", 4)
    for stack in ("ENCODER", "DECODER", "TRANSLATOR"):
        monkeypatch.setattr(shapes, f"{stack}_LAYERS", 2)
        monkeypatch.setattr(shapes, f"{stack}_FF", 64)
    monkeypatch.setattr(optim, "WARM_UP_STEPS", 5)


class EncoderRows:
    def draw(self, rng: np.random.Generator, progress: float) -> encoder.EncoderBatch:
        ids = torch.from_numpy(np.tile(np.arange(6, 22), (8, 1)))
        ids[:, 0] = encoder.CLS
        masked = torch.zeros_like(ids, dtype=torch.bool)
        masked[:, rng.choice(np.arange(1, 15), size=3, replace=False)] = True
        targets = ids[masked]
        hidden = ids.masked_fill(masked, encoder.MASK)
        pair = torch.from_numpy(rng.integers(0, 2, size=8))
        # The segments give the pair away, so there is something to learn.
        segments = pair[:, None].expand_as(ids).contiguous()
        padding = torch.zeros_like(masked)
        padding[:, -1] = True
        return encoder.EncoderBatch(
            ids=hidden,
            segments=segments,
            padding=padding,
            masked=masked,
            targets=targets,
            pair=pair,
            label=None,
        )


class DecoderRows:
    def draw(self, rng: np.random.Generator, progress: float) -> decoder.DecoderBatch:
        rows = torch.from_numpy(rng.integers(0, 20, size=(8, 1)) + np.arange(17))
        return decoder.DecoderBatch(ids=rows[:, :-1], targets=rows[:, 1:])


class TranslatorRows:
    def draw(self, rng: np.random.Generator, progress: float) -> translator.TranslatorBatch:
        rows = []
        for size in rng.integers(2, 6, size=16):
            words = rng.integers(6, 20, size=size).tolist()
            rows.append(([*words, translator.END], [translator.START, *words, translator.END]))
        return translator.collate(rows)


CASES = [
    pytest.param(shapes.encoder_spec, EncoderRows, encoder.loss_of, id="encoder"),
    pytest.param(shapes.decoder_spec, DecoderRows, decoder.loss_of, id="decoder"),
    pytest.param(shapes.translator_spec, TranslatorRows, translator.loss_of, id="translator"),
]


def made(spec: ModelSpec) -> tuple[Transformer, list[torch.optim.Optimizer]]:
    model = Transformer(spec, dropout=0.1)
    initialise(model, block_std=0.05, seed=0)
    return model, optimizers(model, adamw_lr=3e-3, muon_lr=1e-2, weight_decay=0.01)


def plan(folder: Path, *, steps: int) -> Plan:
    return Plan(folder=folder, budget=1e9, seed=3, bf16=False, steps=steps)


def loss_now(model: Transformer, batches: object, loss_of: LossOf) -> float:
    model.eval()
    batch = batches.draw(np.random.default_rng(9), 0.0)  # type: ignore[attr-defined]
    with torch.no_grad():
        return float(loss_of(model, batch)[0])


@pytest.mark.parametrize(("spec", "rows", "loss_of"), CASES)
def test_training_lowers_the_loss(
    tmp_path: Path, spec: Callable[[int], ModelSpec], rows: type, loss_of: LossOf
) -> None:
    model, optimizers_ = made(spec(VOCAB))
    before = loss_now(model, rows(), loss_of)
    train(model, optimizers_, rows(), loss_of, plan(tmp_path, steps=60))
    assert loss_now(model, rows(), loss_of) < 0.8 * before
    assert (
        (tmp_path / "loss.csv").read_text().startswith("step,tokens,seconds,rate,part,value\n25,")
    )


@pytest.mark.parametrize(("spec", "rows", "loss_of"), CASES)
def test_every_weight_is_reached_by_the_gradient(
    spec: Callable[[int], ModelSpec], rows: type, loss_of: LossOf
) -> None:
    model, _ = made(spec(VOCAB))
    loss, _, _ = loss_of(model, rows().draw(np.random.default_rng(0), 0.0))
    loss.backward()
    untouched = {name for name, p in model.named_parameters() if p.grad is None}
    # The classifier learns from opinions, which have batches of their own.
    assert untouched <= {"heads.classes.out.weight", "heads.classes.out.bias"}


def test_a_stopped_and_resumed_run_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    whole, optimizers_ = made(shapes.decoder_spec(VOCAB))
    train(whole, optimizers_, DecoderRows(), decoder.loss_of, plan(tmp_path / "a", steps=6))

    class Broken(DecoderRows):
        drawn = 0

        def draw(self, rng: np.random.Generator, progress: float) -> decoder.DecoderBatch:
            self.drawn += 1
            if self.drawn == 4:
                raise KeyboardInterrupt
            return super().draw(rng, progress)

    first, optimizers_ = made(shapes.decoder_spec(VOCAB))
    with pytest.raises(KeyboardInterrupt):
        train(first, optimizers_, Broken(), decoder.loss_of, plan(tmp_path / "b", steps=6))
    second, optimizers_ = made(shapes.decoder_spec(VOCAB))
    train(second, optimizers_, DecoderRows(), decoder.loss_of, plan(tmp_path / "b", steps=6))
    for name, weight in whole.state_dict().items():
        assert torch.equal(weight, second.state_dict()[name]), name


def test_a_run_in_cycles_is_the_mean_of_their_ends(tmp_path: Path) -> None:
    model, optimizers_ = made(shapes.decoder_spec(VOCAB))
    in_cycles = replace(plan(tmp_path, steps=75), cycles=3)
    train(model, optimizers_, DecoderRows(), decoder.loss_of, in_cycles)
    ends = [torch.load(tmp_path / f"end_{n}.pt") for n in (1, 2, 3)]
    assert sorted(p.name for p in tmp_path.glob("end_*")) == ["end_1.pt", "end_2.pt", "end_3.pt"]
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, ends[2][name]), name
    mean = trained(made(shapes.decoder_spec(VOCAB))[0], [tmp_path]).state_dict()
    for name, weight in mean.items():
        torch.testing.assert_close(weight, sum(end[name] for end in ends) / 3)
    other, _ = made(shapes.decoder_spec(VOCAB))
    mean = trained(made(shapes.decoder_spec(VOCAB))[0], [tmp_path], [other]).state_dict()
    for name, weight in other.state_dict().items():
        torch.testing.assert_close(mean[name], (weight + sum(end[name] for end in ends)) / 4)
    beside = tmp_path / "beside"
    beside.mkdir()
    torch.save(other.state_dict(), beside / "end_1.pt")
    both = trained(made(shapes.decoder_spec(VOCAB))[0], [tmp_path, beside]).state_dict()
    for name, weight in mean.items():
        torch.testing.assert_close(both[name], weight)
    # Every cycle's rate ends where the first one's does.
    rates = [line.split(",")[3] for line in (tmp_path / "loss.csv").read_text().splitlines()[1:]]
    assert len(set(rates)) == 1
    assert float(rates[0]) < 0.03


def test_before_its_first_end_a_run_is_as_last_saved(tmp_path: Path) -> None:
    model, optimizers_ = made(shapes.decoder_spec(VOCAB))
    stopped = replace(plan(tmp_path, steps=10**6), stop_after=0.0)
    train(model, optimizers_, DecoderRows(), decoder.loss_of, stopped)
    found = trained(made(shapes.decoder_spec(VOCAB))[0], [tmp_path]).state_dict()
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, found[name]), name


def test_a_mean_leaves_nothing_out_in_silence(tmp_path: Path) -> None:
    model, _ = made(shapes.decoder_spec(VOCAB))
    ended, begun = tmp_path / "ended", tmp_path / "begun"
    for folder in (ended, begun):
        folder.mkdir()
        torch.save({"model": model.state_dict()}, folder / "last.pt")
    torch.save(model.state_dict(), ended / "end_1.pt")
    for runs, also in (([ended, begun], []), ([begun, ended], []), ([begun], [model])):
        with pytest.raises(ValueError, match="no cycle of begun has ended"):
            trained(made(shapes.decoder_spec(VOCAB))[0], runs, also)
    with pytest.raises(ValueError, match="no cycle of begun and begun has ended"):
        trained(made(shapes.decoder_spec(VOCAB))[0], [begun, begun])


def test_the_rate_warms_up_and_ends_near_zero() -> None:
    _, optimizers_ = made(shapes.decoder_spec(VOCAB))
    assert set_rate(optimizers_, step=0, progress=0.0) == pytest.approx(0.2)
    assert set_rate(optimizers_, step=10_000, progress=0.0) == 1.0
    assert set_rate(optimizers_, step=10_000, progress=0.5) == pytest.approx(0.51)
    assert set_rate(optimizers_, step=10_000, progress=1.0) == pytest.approx(0.02)


def test_a_run_does_not_go_on_with_another_vocabulary(tmp_path: Path) -> None:
    vocabulary = tmp_path / "encoder.json"
    vocabulary.write_text("{}")
    keep_tokenizer(vocabulary, tmp_path / "run")
    keep_tokenizer(vocabulary, tmp_path / "run")
    vocabulary.write_text("{ }")
    with pytest.raises(SystemExit, match="another vocabulary"):
        keep_tokenizer(vocabulary, tmp_path / "run")
    assert (tmp_path / "run" / "tokenizer.json").read_text() == "{}"


def test_only_what_came_before_is_asked_of_a_blind_list(tmp_path: Path) -> None:
    for name in decoder.SHARES:
        np.save(tmp_path / f"decoder_{name}.npy", np.arange(2, 302, dtype=np.uint16))
    batches = decoder.DecoderBatches(tmp_path, vocab=302)
    rng = np.random.default_rng(1)
    sizes = set()
    for _ in range(50):
        row, size = batches.blind_list(rng)
        sizes.add(size)
        assert row[0] == decoder.START
        said = row[1 : size + 1]
        assert len(set(said.tolist())) == size
        assert (row[1:] == np.resize(said, decoder.LENGTH)).all()
    assert len(sizes) > 10
    batch = batches.draw(rng, 0.0)
    assert batch.targets is not None
    unscored = batch.targets == decoder.UNSCORED
    assert 0 < int(unscored.any(1).sum()) < decoder.ROWS
    assert (batch.targets == batch.ids.roll(-1, 1))[:, :-1][~unscored[:, :-1]].all()


def test_a_curve_goes_on_counting_behind_an_earlier_one(tmp_path: Path) -> None:
    head = "step,tokens,seconds,rate,part,value\n"
    earlier, log = tmp_path / "loss.csv", tmp_path / "new.csv"
    earlier.write_text(head + "25,1000,60,1.0,loss,9.5\n50,2000,120,0.5,loss,8.5\n")
    log.write_text(head + "25,900,50,1.0,loss,8.0\n")
    append(earlier, log)
    assert earlier.read_text().splitlines()[-1] == "75,2900,170,1.0,loss,8.0"
