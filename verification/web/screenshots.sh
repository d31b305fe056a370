#!/bin/sh
# Makes pictures of the web app, on both widths, in light and dark, with a server of its own on an empty folder: in verification/target/pictures, to be looked at; those of
# docs/web.md go to docs/images. Needs Node.js with npm, and Chromium.

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
pictures=$root/verification/target/pictures
mkdir -p "$root/docs/images" "$pictures"
"$root/holdfast" serve --port 0 --data "$work/data" --log-level WARN >"$work/ready" &
server=$!
until url=$(sed -n 's/^Holdfast listening on //p' "$work/ready") && [ -n "$url" ]; do
  kill -0 "$server"
  sleep 1
done
node "$work/screenshots.mjs" "$url" "$pictures"
for name in chat-desktop-light console-desktop-dark resumed-phone-dark welcome-phone-light; do
  cp "$pictures/web-$name.png" "$root/docs/images/"
done
