"""A small grammar of our own: parallel Chinese-English sentences and simple English ones."""
