#!/usr/bin/env bash
# Installs Debian's Chromium for the end-to-end tests, unless there is one.
set -euo pipefail
for browser in chromium chromium-browser google-chrome; do
  if command -v "$browser" > /dev/null; then exit 0; fi
done
if ! command -v apt-get > /dev/null; then
  echo 'No Chromium was found, and apt-get is not here to install it: install Chromium, or set CHROMIUM to its path.' >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium > /dev/null
