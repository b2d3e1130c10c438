"""What each part of a layer reads, in the model's real order: its name in a formula, its site."""

from __future__ import annotations

from core.spec import ModelSpec, StackSpec

MEMORY = "m"
"""What the encoder hands on, in formulas."""


def entering(stack: StackSpec, layer: int, part: str) -> tuple[str, str]:
    """(name, site) of what "self", "cross" or "ffn" of a layer reads: ("norm(h)",
    "decoder.2.norm.ffn"). The names are those of `core.analysis.inside.stream`."""
    block = stack.blocks[layer]
    prefix = f"{stack.name}.{layer}"
    x = f"{stack.name}.embed.out" if layer == 0 else f"{stack.name}.{layer - 1}.resid.out"
    if block.residual == "joint":
        return ("a", f"{prefix}.self.out") if part == "ffn" else ("x", x)
    if block.residual == "parallel":
        own = part == "ffn" and not block.shared_norm
        return ("norm′(x)", f"{prefix}.norm.ffn") if own else ("norm(x)", f"{prefix}.norm.self")
    name, site = "x", x
    if part != "self":
        crossed = part == "ffn" and block.cross is not None
        name, site = ("h′", f"{prefix}.resid.cross") if crossed else ("h", f"{prefix}.resid.self")
    if block.residual == "post" or (part == "self" and not block.first_norm):
        return name, site
    return f"norm({name})", f"{prefix}.norm.{part}"


def keys_from(spec: ModelSpec, stack: StackSpec, layer: int, part: str) -> tuple[str, str]:
    """(name, site) of what an attention makes its keys and values from."""
    if part == "cross" and spec.encoder is not None:
        from core.derive import end_site  # imports torch, which a view's import must not

        return MEMORY, end_site(spec.encoder)
    return entering(stack, layer, part)
