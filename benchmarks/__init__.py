"""How fast, as ratios taken pair by pair in one run; never part of the tests."""
