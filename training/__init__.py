"""How the built-in models were made: data, tokenizers, training, evaluation. One command each."""
