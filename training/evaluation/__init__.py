"""Held-out figures of the built-in models, each beside a baseline."""
