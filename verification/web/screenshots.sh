#!/bin/sh
# Makes the pictures of docs/web.md anew, with a server of its own on an empty folder. Needs Node.js with npm, and Chromium.

set -eu

here=$(cd "${0%/*}" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
CHROMIUM=${HOLDFAST_CHROMIUM-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
export CHROMIUM
work=$(mktemp -d)
trap 'kill $server 2>/dev/null || :; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cp "$here"/*.mjs "$here"/package*.json "$work"
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline)
mkdir -p "$root/docs/images"
"$root/holdfast" serve --port 0 --data "$work/data" --log-level WARN >"$work/ready" &
server=$!
until url=$(sed -n 's/^Holdfast listening on //p' "$work/ready") && [ -n "$url" ]; do
  kill -0 "$server"
  sleep 1
done
node "$work/screenshots.mjs" "$url" "$root/docs/images"
