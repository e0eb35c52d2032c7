#!/bin/sh
# Starts spool as npm has installed it: with the Node that was installed beside it, else with the one in PATH (decision 210).
# Nothing is added to the environment.

self=$0
if [ -L "$self" ]; then self=$(readlink -f -- "$self"); fi
root=${self%/*}/..
# The Node from npm needs glibc.
if [ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ]; then
  for node in "$root"/node_modules/node-linux-*/bin/node "$root"/../node-linux-*/bin/node; do
    if [ -x "$node" ]; then exec "$node" "$root/dist/spool.cjs" "$@"; fi
  done
fi
if ! command -v node >/dev/null; then
  echo 'spool: there is no Node.js in PATH. Install Node 22.15 or later, or put its folder into PATH.' >&2
  exit 125
fi
exec node "$root/dist/spool.cjs" "$@"
