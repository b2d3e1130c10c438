"""Reading the training texts: stories, sentence pairs, sentiment."""
