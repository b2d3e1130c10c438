"""Example figures of every kind of panel. `python -m tests.app.render.examples FOLDER` draws them
all in both themes, to be looked at."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

import numpy as np

from app.figure import (
    Arrow,
    Axis,
    Bar,
    Bars,
    Box,
    Cell,
    Curve,
    Curves,
    Diagram,
    Figure,
    Heatmap,
    Mosaic,
    Panel,
    Paths,
    WordGrid,
    Words,
)

ENGLISH = "[CLS] The river bank was steep , so we sat on the other bank . [SEP]".split()
CHINESE = ["[CLS]", *"我们在河岸上坐了很久。", "[SEP]"]
AWKWARD = ["<s>", "a&b", "Ġthe", "东", "😀", '"', "\x07"]


def weights(queries: int, keys: int | None = None, seed: int = 0) -> np.ndarray:
    """Softmax rows like a head's, float32 [query, key]."""
    scores = 2 * np.random.default_rng(seed).normal(size=(queries, keys or queries))
    powers = np.exp(scores)
    return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)


def heatmap(
    values: np.ndarray,
    queries: list[str] | None = None,
    keys: list[str] | None = None,
    **changes: object,
) -> Heatmap:
    """Weights over queries and keys; labels are the indices unless given."""
    queries = queries or [str(i) for i in range(values.shape[0])]
    keys = keys or [str(i) for i in range(values.shape[1])]
    fields: dict[str, object] = {
        "title": "",
        "values": np.asarray(values, dtype=np.float32),
        "rows": Axis(title="Query (attends)", labels=tuple(queries)),
        "columns": Axis(title="Key (attended to)", labels=tuple(keys)),
        "limits": (0.0, 1.0),
        "value_name": "weight",
        "picks": ("query", "key"),
        **changes,
    }
    return Heatmap(**fields)


def causal(count: int) -> np.ndarray:
    """True above the diagonal: what a causal mask hides."""
    return np.triu(np.ones((count, count), dtype=bool), 1)


def attention(labels: list[str], *, masked: bool = False, **changes: object) -> Heatmap:
    values = weights(len(labels))
    if masked:
        changes["hidden"] = causal(len(labels))
        values = values * ~causal(len(labels))
    scores = (10 * values - 4).astype(np.float32)
    marks = ((0, "special"), (len(labels) - 1, "padding"))
    changes["rows"] = Axis(title="Query (attends)", labels=tuple(labels), marks=marks)
    changes["columns"] = Axis(title="Key (attended to)", labels=tuple(labels), marks=marks)
    return heatmap(values, details=(("score", scores),), **changes)


def mosaic(layers: int = 12, heads: int = 12, size: int = 48) -> Mosaic:
    values = np.stack(
        [[weights(size, seed=7 * row + column) for column in range(heads)] for row in range(layers)]
    )
    return Mosaic(
        title="",
        values=values * ~causal(size),
        rows=Axis(title="Layer", labels=tuple(str(i + 1) for i in range(layers))),
        columns=Axis(title="Head", labels=tuple(str(i + 1) for i in range(heads))),
        hidden=np.broadcast_to(causal(size), values.shape),
        selected=(1, 2),
    )


def bars(labels: list[str]) -> Bars:
    values = np.sort(np.random.default_rng(1).dirichlet(np.full(len(labels), 0.4)))[::-1]
    return Bars(
        title="Next token",
        bars=tuple(
            Bar(
                label=label,
                value=float(value),
                token=100 + place,
                state="cut" if place >= 5 else "",
                note="cut by sampling" if place >= 5 else "chosen" if place == 1 else "",
            )
            for place, (label, value) in enumerate(zip(labels, values, strict=True))
        ),
        note="Entropy 2.31 bits, like 4.96 equally likely tokens. Temperature 0.8, top-k 5.",
    )


def curves(count: int = 3) -> Curves:
    random = np.random.default_rng(2)
    x = np.arange(13, dtype=np.float32)
    names = ["mean of all positions", "“bank” (3)", "“河” (4)"]
    names += [f"head {number}" for number in range(4, count + 1)]
    return Curves(
        title="Entropy of the next token, layer by layer",
        curves=tuple(
            Curve(
                name=name,
                x=x,
                y=np.abs(np.cumsum(random.normal(size=13))).astype(np.float32),
                emphasised=place == 1,
            )
            for place, name in enumerate(names[:count])
        ),
        x_title="Layer",
        y_title="bits",
        x_labels=("embedding", *(str(i) for i in range(1, 13))),
    )


def paths(labels: list[str]) -> Paths:
    steps = np.random.default_rng(3).normal(size=(len(labels), 7, 2))
    return Paths(
        title="Hidden states in two dimensions",
        points=np.cumsum(steps, axis=1).astype(np.float32),
        labels=tuple(labels),
        step_labels=("embedding", *(f"layer {i}" for i in range(1, 7))),
        x_title="First component (41 %)",
        y_title="Second component (12 %)",
        emphasised=3,
        pick="query",
    )


def words(labels: list[str], layers: int = 7, count: int | None = None) -> WordGrid:
    random = np.random.default_rng(4)
    count = count or len(labels)
    return WordGrid(
        title="What each layer would say next",
        cells=tuple(
            tuple(
                Cell(
                    text=labels[(3 * row + column) % len(labels)],
                    strength=float(random.random() ** 2),
                    note="probability 0.41",
                )
                for column in range(count)
            )
            for row in range(layers)
        ),
        rows=Axis(title="Layer", labels=("embedding", *(str(i + 1) for i in range(layers - 1)))),
        columns=Axis(title="Position", labels=tuple(labels[i % len(labels)] for i in range(count))),
        picks=("layer", "query"),
        row=2,
        column=3,
    )


def diagram() -> Diagram:
    return Diagram(
        title="",
        boxes=(
            Box(key="g", text="Encoder × 6", x=5, y=5, width=40, height=90, kind="group"),
            Box(
                key="e",
                text="Token + position embedding",
                x=10,
                y=80,
                width=30,
                height=10,
                kind="embedding",
            ),
            Box(
                key="a",
                text="Multi-head self-attention",
                x=10,
                y=55,
                width=30,
                height=14,
                kind="attention",
                note="4 heads of 64",
                target="attention",
                picks=(("layer", 2),),
            ),
            Box(key="n", text="Add & Norm", x=10, y=40, width=30, height=8, kind="norm"),
            Box(
                key="f",
                text="Feed-forward 1024",
                x=10,
                y=22,
                width=30,
                height=10,
                kind="feedforward",
            ),
            Box(key="d", text="Decoder", x=60, y=20, width=30, height=14, kind="selected"),
            Box(key="h", text="Linear + softmax 输出", x=60, y=5, width=30, height=9, kind="head"),
            Box(key="t", text="Lines of attention", x=60, y=90, width=30, height=6, kind="text"),
        ),
        arrows=(
            Arrow(points=((25, 80), (25, 69))),
            Arrow(points=((25, 55), (25, 48)), text="× 6"),
            Arrow(points=((25, 40), (25, 32))),
            Arrow(points=((25, 75), (7, 75), (7, 44), (10, 44)), kind="residual"),
            Arrow(points=((40, 27), (60, 27)), kind="selected"),
            Arrow(points=((75, 20), (75, 14))),
            *(
                Arrow(points=((60 + 4 * q, 85), (60 + 4 * k, 50)), kind="attention", width=w)
                for q, row in enumerate(weights(8).tolist())
                for k, w in enumerate(row)
            ),
        ),
    )


def hidden_states(labels: list[str]) -> tuple[Panel, ...]:
    random = np.random.default_rng(5)
    layers = Axis(title="Layer", labels=("embedding", *(str(i) for i in range(1, 7))))
    tokens = Axis(title="Token", labels=tuple(labels))
    norms = np.abs(random.normal(size=(7, len(labels)))).astype(np.float32)
    norms[0, 0] = 300
    coordinates = Axis(title="Coordinate (d_model)", labels=tuple(str(i) for i in range(256)))
    return (
        Heatmap(
            title="Norm ‖h‖",
            values=norms,
            rows=layers,
            columns=tokens,
            limits=(0, 2.5),
            value_name="norm",
            column=3,
            limits_note="colours end at 2.5; the largest value is 300",
        ),
        Heatmap(
            title="Change of each coordinate",
            values=random.normal(size=(7, 256)).astype(np.float32),
            rows=layers,
            columns=coordinates,
            limits=(-3, 3),
            scale="diverging",
            value_name="change",
        ),
    )


@cache
def figures() -> dict[str, Figure]:
    """A name and a figure each."""
    note = "Each row sums to 1: how strongly a query attends to each key."
    candidates = ["▁river", "▁bank", "▁the", "▁a very long token that will not fit", "0", "▁😀"]
    long = [f"token{i}" for i in range(512)]
    return {
        "attention": Figure(
            title="Encoder self-attention · layer 3 · head 5",
            panels=(attention(ENGLISH, row=4, column=3),),
            note=note,
        ),
        "attention-chinese": Figure(
            title="解码器自注意力 · 第 3 层 · 第 5 头",
            panels=(attention(CHINESE, masked=True, dead_rows=(3,)),),
            note="Query “了” (8) may see no key.",
        ),
        "attention-awkward": Figure(
            title="Labels <b> & “quotes”", panels=(attention(AWKWARD, masked=True),), note=note
        ),
        "attention-512": Figure(
            title="Decoder self-attention of 512 tokens",
            panels=(attention(long, masked=True, row=256),),
        ),
        "mosaic": Figure(title="Decoder self-attention · 12 × 12 heads", panels=(mosaic(),)),
        "bars": Figure(
            title="Predictions",
            panels=(
                bars(candidates),
                bars(["河", "银行", "一个非常长的标记放不下", "了", "a&b", "很"]),
            ),
            columns=2,
            weights=(3, 2),
        ),
        "curves": Figure(title="Uncertainty", panels=(curves(), curves(12))),
        "paths": Figure(title="Paths", panels=(paths(ENGLISH),)),
        "words": Figure(title="Lens", panels=(words(ENGLISH), words(CHINESE))),
        "words-200": Figure(title="Lens", panels=(words(ENGLISH, 12, 200),)),
        "diagram": Figure(title="Architecture", panels=(diagram(),)),
        "hidden-states": Figure(title="Hidden states", panels=hidden_states(ENGLISH)),
        "empty": Figure(
            title="Cross-attention",
            panels=(
                Words(
                    title="",
                    text="This model has no cross-attention: it is a lone decoder. Choose an "
                    "encoder–decoder to see how the target attends to the source.",
                ),
            ),
        ),
        "empty-chinese": Figure(
            title="交叉注意力",
            panels=(
                Words(title="", text="这个模型只有解码器，没有交叉注意力。请选择编码器–解码器。"),
            ),
        ),
    }


def main(folder: Path) -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    from app.render.export import save
    from app.theme import DARK, LIGHT

    application = QGuiApplication.instance() or QGuiApplication([])
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures().items():
        for theme in (LIGHT, DARK):
            save(figure, folder / f"{name}-{theme.name}.png", theme=theme)
        save(figure, folder / f"{name}.svg")
    del application


if __name__ == "__main__":
    main(Path(sys.argv[1]))
