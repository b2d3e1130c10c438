"""All sentence patterns and how often each is drawn; each returns one parallel sentence."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.grammar.clauses import reason, referent
from training.grammar.deeds import feeling, future, going_on, habit, journey, past, went_to, wish
from training.grammar.phrase import Phrase
from training.grammar.statements import comparison, giving, having, naming, quality, where

Pattern = Callable[[random.Random], Phrase]
PATTERNS: tuple[tuple[Pattern, int], ...] = (
    (feeling, 14), (past, 14), (went_to, 8), (future, 7), (habit, 6), (going_on, 7), (wish, 8),
    (journey, 10), (where, 6), (naming, 8), (quality, 9), (having, 7), (giving, 5),
    (comparison, 2), (reason, 5), (referent, 5),
)  # fmt: skip
