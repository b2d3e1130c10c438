"""From files to a network: open, recognise, convert, build, load."""
