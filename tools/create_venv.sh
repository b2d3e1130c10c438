#!/bin/sh
# Creates .venv, unless a working one of a supported Python is there already.
set -eu
if .venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    exit 0
fi
python=$(sh tools/find_python.sh)
"$python" tools/system_packages.py venv
echo "Creating .venv with $("$python" --version)"
"$python" -m venv --clear .venv
