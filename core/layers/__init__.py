"""The bricks, one a file: attention, feedforward, norm, positions, activation."""
