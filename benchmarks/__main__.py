"""`python -m benchmarks [forward decoding drawing loading startup window] [--quick]`."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

GROUPS = ("forward", "decoding", "drawing", "loading", "startup", "window")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="group", help=f"any of {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="few repeats: does it run at all")
    chosen = parser.parse_args()
    unknown = set(chosen.groups) - set(GROUPS)
    if unknown:
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    # Before torch: waiting threads must not spin while the other side of a pair runs.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from core.memory import keep_freed_memory

    keep_freed_memory()  # as the window does, for both sides of every pair
    from benchmarks.measure import machine, table

    print(machine(), end="\n\n", flush=True)
    rows = []
    for name in chosen.groups or GROUPS:
        for row in import_module(f"benchmarks.{name}").rows(quick=chosen.quick):
            rows.append(row)
            print(f"{row.ratio:6.2f}  (≤ {row.goal:.2f})  {row.name}: {row.detail}", flush=True)
    print(f"\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
