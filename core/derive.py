"""What a trace does not store, computed from what it does: scores, patterns, masks, logits.

The formulas are those of the forward pass (`core.layers.scores`, `core.masks`), fed with the
recorded q and k of this very run.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from core import masks
from core.errors import RequestError
from core.layers.scores import attention_scores, attention_weights
from core.mask_kinds import Context
from core.model import Transformer
from core.spec import StackSpec
from core.tokens import Tokens
from core.trace import Trace


class Derived:
    """Answers a trace's questions with the network that made it (implements `trace.Derive`)."""

    def __init__(self, network: Transformer) -> None:
        self.network = network

    @torch.no_grad()
    def scores(
        self, trace: Trace, site: str, layer: int, head: int | None, query: int | None
    ) -> Tensor:
        """[head, query, key] before mask and softmax; head or query given drop a dimension."""
        edited = trace.captured.get(_name(site, layer, "scores"))
        if edited is not None:
            return _pick(edited.values, head, query)
        stack, part = site.split(".")
        spec = trace.spec.stack(stack).attention(part, layer)
        q = trace.captured[_name(site, layer, "q")].values  # [head, query, d_head]
        k = trace.captured[_name(site, layer, "k")].values  # [kv_head, key, d_head]
        if query is not None:
            q = q[:, query : query + 1]
        bias = self._bias(trace, site, layer, query, q, k)
        if head is not None:
            k = k[head // spec.group : head // spec.group + 1]
            q = q[head : head + 1]
            bias = bias if bias is None else bias[head : head + 1]
        else:
            k = k.repeat_interleave(spec.group, dim=0) if spec.group > 1 else k
        found = attention_scores(q, k, scale=spec.score_scale, softcap=spec.softcap, bias=bias)
        found = found if query is None else found[:, 0]
        return found if head is None else found[0]

    @torch.no_grad()
    def pattern(
        self, trace: Trace, site: str, layer: int, head: int | None, query: int | None
    ) -> Tensor:
        """Softmax of `scores` over the allowed keys; the recorded pattern where it was edited."""
        edited = trace.captured.get(_name(site, layer, "pattern"))
        if edited is not None:
            return _pick(edited.values, head, query)
        scores = self.scores(trace, site, layer, head, query)
        allowed = trace.allowed(site, layer).to(scores.device)
        if query is not None:
            allowed = allowed[query]
        return attention_weights(scores, None if bool(allowed.all()) else allowed)

    def allowed(self, trace: Trace, site: str, layer: int) -> Tensor:
        """[query, key] bool."""
        stack, part = site.split(".")
        spec = trace.spec.stack(stack).attention(part, layer)
        return masks.allowed(trace.request.mask(site), context(trace.tokens, site), spec)

    @torch.no_grad()
    def logits(self, trace: Trace, positions: tuple[int, ...] | None) -> Tensor:
        """[position, vocab] at the positions asked for, or at all."""
        if positions is None:
            states = self.states(trace)
        else:
            states = trace.captured[end_site(trace.spec.main_stack)].rows(positions)
        return self.network.vocab_logits(states[None])[0]

    @torch.no_grad()
    def project(self, states: Tensor, *, normalise: bool) -> Tensor:
        """Any states [position, d_model] through final norm (if asked) and vocabulary head."""
        stack = self.network.stack(self.network.spec.main_stack.name)
        states = self._fed(states)[None]
        if normalise and stack.final_norm is not None:
            states = stack.final_norm(states)
        return self.network.vocab_logits(states)[0]

    @torch.no_grad()
    def project_text(self, states: Tensor, *, normalise: bool, last: int = -1) -> dict[str, Tensor]:
        """Any states [n, position, d_model] of a text's real tokens: "pair" [n, 2], "classes"
        [n, label]. last: as `HeadBank.sentence` has it."""
        stack = self.network.stack(self.network.spec.main_stack.name)
        states = self._fed(states)
        if normalise and stack.final_norm is not None:
            states = stack.final_norm(states)
        found = self.network.heads.sentence(states, last=last)
        return {name: value for name, value in found.items() if name != "replaced"}

    @torch.no_grad()
    def sentence_heads(self, trace: Trace) -> dict[str, Tensor]:
        """Pair, class and replaced-token logits; padding is not part of the text."""
        states = self.states(trace)
        tokens, classes = trace.tokens[trace.spec.main_stack.name], trace.spec.heads.classes
        real = [i for i, padded in enumerate(tokens.padding) if not padded]
        last = -1 if classes is None else real.index(classes.place(tokens.ids, tokens.padding))
        found = self.network.heads.sentence(states[None, real], last=last)
        if len(real) < len(tokens) and self.network.heads.replaced is not None:
            found["replaced"] = self.network.heads.replaced(states[None])
        return {name: value[0] for name, value in found.items()}

    def output_weight(self, site: str, layer: int) -> tuple[Tensor, Tensor | None]:
        """W_O of an attention as [head, d_head, d_model], and its bias [d_model] where it has one.

        Σ over heads of context[head] @ W_O[head], plus the bias, is the attention's output.
        """
        stack, part = site.split(".")
        block = self.network.stack(stack).block(layer)
        attention = block.attention if part == "self" else block.cross
        if attention is None:
            raise RequestError(f"layer {layer} of the {stack} has no {part}-attention")
        weight = attention.out.weight.T.unflatten(0, (attention.spec.heads, -1))
        bias: Tensor | None = attention.out.bias
        return weight.detach(), bias if bias is None else bias.detach()

    def towards_output(self, trace: Trace, changes: Tensor) -> Tensor:
        """Small changes […, position, d_model] of the main stack's last states, carried to first
        order through final norm and vocabulary head up to what its matrix multiplies: […, position,
        d_embed]."""
        head = self.network.heads.vocab
        if head is None:
            raise RequestError(f"{self.network.spec.name} has no vocabulary head")
        stack = self.network.stack(self.network.spec.main_stack.name)

        last = f"{stack.spec.name}.{stack.spec.layers - 1}.resid.out"
        states = trace.captured[last].values.to(_device(stack)).expand_as(changes).clone()
        with torch.enable_grad():
            states.requires_grad_()
            normed = states if stack.final_norm is None else stack.final_norm(states)
            read = head.transform(normed) * head.spec.scale
            # Forward derivatives from two backward ones: torch's own load its compiler (seconds).
            pull = torch.zeros_like(read, requires_grad=True)
            (back,) = torch.autograd.grad(read, states, pull, create_graph=True)
            (moved,) = torch.autograd.grad(back, pull, changes.to(states))
        return moved

    def token_table(self, stack: str, *, output: bool = False) -> Tensor:
        """[vocab, d_embed]: the token embedding of a stack, or the output matrix of the vocabulary
        head where that is a matrix of its own."""
        if output:
            head = self.network.heads.vocab
            if head is None or head.weight is None:
                raise RequestError(f"{self.network.spec.name} has no output matrix of its own")
            return head.weight.weight.detach()
        return self.network.stack(stack).embedding.token.weight.detach()

    def _fed(self, states: Tensor) -> Tensor:
        """A trace hands states out in float32 on the CPU; the weights may be others, elsewhere."""
        weight = next(self.network.parameters())
        return states.to(weight.device, weight.dtype)

    def states(self, trace: Trace) -> Tensor:
        """[position, d_model]: what the heads read, the end of the main stack."""
        return trace.captured[end_site(trace.spec.main_stack)].values

    def _bias(
        self, trace: Trace, site: str, layer: int, query: int | None, q: Tensor, k: Tensor
    ) -> Tensor | None:
        """[head, query, key] of the position bias; None for cross-attention and without one."""
        stack, part = site.split(".")
        if part == "cross":
            return None
        module = self.network.stack(stack)
        where = masks.positions(trace.tokens[stack].padding_tensor(_device(module)))[None]
        rows = where if query is None else where[:, query : query + 1]
        attention = module.block(layer).attention
        bias = attention.added(q[None], k[None], module.position_bias(rows, where))
        return None if bias is None else bias[0]


def end_site(stack: StackSpec) -> str:
    """The recorded site of a stack's output."""
    if stack.final_norm is not None:
        return f"{stack.name}.final.norm"
    return f"{stack.name}.{stack.layers - 1}.resid.out"


def context(tokens: Mapping[str, Tokens], site: str, q_start: int = 0) -> Context:
    """The mask context of an attention site, for queries from q_start on."""
    stack, part = site.split(".")
    queries = tokens[stack]
    keys = tokens["encoder"] if part == "cross" else queries
    return masks.context_of(
        q_padding=queries.padding_tensor(),
        k_padding=keys.padding_tensor(),
        q_segments=queries.segments_tensor(),
        k_segments=keys.segments_tensor(),
        q_start=q_start,
    )


def _name(site: str, layer: int, name: str) -> str:
    stack, part = site.split(".")
    return f"{stack}.{layer}.{part}.{name}"


def _pick(values: Tensor, head: int | None, query: int | None) -> Tensor:
    part = values if head is None else values[head]
    return part if query is None else part[..., query, :]


def _device(module: torch.nn.Module) -> torch.device:
    return next(module.parameters()).device
