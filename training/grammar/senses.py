"""Words with two meanings, each in sentences that settle which one is meant."""

# ruff: noqa: E501 - one sentence a line reads better than wrapped ones
from __future__ import annotations

import random

from training.grammar.lexicon import PAST, SUBJECTS
from training.grammar.nominal import subject
from training.grammar.phrase import Phrase, compose, phrase

# {s} subject, {t} time; the word in question carries the label "sense".
_SENSES: tuple[tuple[str, str], ...] = (
    # bank: money, river
    ("{s} {t} 去:go 银行:sense 存:v 了:_ 钱:o 。:.", "{s} went:go to:_ the:_ bank:sense to:_ deposit:v money:o {t} .:."),
    ("{s} {t} 去:go 银行:sense 取:v 了:_ 钱:o 。:.", "{s} went:go to:_ the:_ bank:sense to:_ get:v money:o {t} .:."),
    ("{s} {t} 在:_ 银行:sense 开:v 了:_ 一个:d 账户:o 。:.", "{s} opened:v an:d account:o at:_ the:_ bank:sense {t} .:."),
    ("{s} {t} 向:_ 银行:sense 借:v 了:_ 钱:o 。:.", "{s} borrowed:v money:o from:_ the:_ bank:sense {t} .:."),
    ("{s} {t} 坐:v 在:_ 河:r 岸:sense 上:on 。:.", "{s} sat:v on:on the:_ bank:sense of:_ the:_ river:r {t} .:."),
    ("{s} {t} 在:_ 河:r 岸:sense 上:on 钓鱼:v 。:.", "{s} fished:v on:on the:_ bank:sense of:_ the:_ river:r {t} .:."),
    ("{s} {t} 在:_ 河:r 岸:sense 上:on 散步:v 。:.", "{s} walked:v along:on the:_ bank:sense of:_ the:_ river:r {t} .:."),
    # bat: animal, stick
    ("{s} {t} 看见:v 一:d 只:_ 蝙蝠:sense 在:_ 飞:f 。:.", "{s} saw:v a:d bat:sense flying:f {t} .:."),
    ("{s} {t} 在:_ 山洞:c 里:in 看见:v 了:_ 一:d 只:_ 蝙蝠:sense 。:.", "{s} saw:v a:d bat:sense in:in the:_ cave:c {t} .:."),
    ("{s} {t} 用:with 球棒:sense 打:v 球:o 。:.", "{s} hit:v the:_ ball:o with:with a:_ bat:sense {t} .:."),
    ("{s} {t} 买:v 了:_ 一:d 根:_ 新:a 球棒:sense 。:.", "{s} bought:v a:d new:a bat:sense {t} .:."),
    # apple: fruit, firm
    ("{s} {t} 吃:v 了:_ 一个:d 甜:a 苹果:sense 。:.", "{s} ate:v a:d sweet:a apple:sense {t} .:."),
    ("{s} {t} 从:from 树:tree 上:_ 摘:v 了:_ 苹果:sense 。:.", "{s} picked:v apples:sense from:from the:_ tree:tree {t} .:."),
    ("苹果:sense 公司:_ {t} 发布:v 了:_ 新:a 手机:o 。:.", "Apple:sense released:v a:_ new:a phone:o {t} .:."),
    ("苹果:sense 公司:_ {t} 发布:v 了:_ 新:a 电脑:o 。:.", "Apple:sense released:v a:_ new:a computer:o {t} .:."),
    ("{s} {t} 在:_ 苹果:sense 公司:_ 工作:v 。:.", "{s} worked:v at:_ Apple:sense {t} .:."),
    ("{s} {t} 买:v 了:_ 苹果:sense 公司:_ 的:_ 股票:o 。:.", "{s} bought:v Apple:sense stock:o {t} .:."),
    ("{s} {t} 买:v 了:_ 一:d 部:_ 苹果:sense 手机:o 。:.", "{s} bought:v an:d Apple:sense phone:o {t} .:."),
)  # fmt: skip


def senses(rng: random.Random) -> Phrase:
    """One of the sentences above with a subject and a time."""
    zh, en = rng.choice(_SENSES)
    fills = {"t": phrase(*rng.choice(PAST))}
    if "{s}" in zh:
        fills["s"] = subject(rng.choice(SUBJECTS))
    return compose(zh, en, **fills)
