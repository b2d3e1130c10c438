#!/bin/sh
# Prints the first Python 3.11 or newer that runs here; PYTHON=… names the only one to try.
for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "$candidate"
        exit 0
    fi
done
echo "Trifocal needs Python 3.11 or newer, and none was found (tried: ${PYTHON:-python3, python3.11 to python3.14}); install one, or name it: make run PYTHON=/path/to/python3" >&2
exit 1
