"""Files of a model on disk, a tokenizer's as much as a checkpoint's."""
