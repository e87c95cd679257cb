#!/usr/bin/env bash
# Installs Debian's PostgreSQL for the tests that start a server of their own, unless there is one. It makes and starts no
# cluster of the system.
set -euo pipefail
if command -v postgres > /dev/null; then exit 0; fi
for program in /usr/lib/postgresql/*/bin/postgres; do
  if [ -x "$program" ]; then exit 0; fi
done
if ! command -v apt-get > /dev/null; then
  echo 'No PostgreSQL was found, and apt-get is not here to install it: install PostgreSQL 15 or newer.' >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
# Only while it is installed: a cluster that somebody wants later is not affected.
no_cluster=/etc/postgresql-common/createcluster.d/mnemis-tests.conf
"${as_root[@]}" mkdir -p "$(dirname "$no_cluster")"
trap '"${as_root[@]}" rm -f "$no_cluster"' EXIT
echo 'create_main_cluster = false' | "${as_root[@]}" tee "$no_cluster" > /dev/null
"${as_root[@]}" apt-get update -qq -o Acquire::http::Timeout=20
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends postgresql > /dev/null
