"""Questions asked of a trace: pure functions of numbers, one file each."""
