#!/bin/sh
# Makes target/site, the files of the web app, unless they are there and newer than all that they are made of. Run by Maven; `sh web/build/site.sh on`
# does the same by hand. With `off` as its argument the site is left out.
#
# Needs Node.js 20.19 or newer with npm on the PATH; where there is none, Node is fetched once from the npm registry, which only a JDK is needed for.

set -eu

web=$(cd "${0%/*}/.." && pwd -P)
root=${web%/*}
target=$web/target
site=$target/site

say() { printf '%s\n' "$*" >&2; }

die() {
  say "holdfast web: $*"
  exit 1
}

. "$root/.mvn/build-lock.sh"

# Prints a path that is newer than the site, if any.
newer_source() {
  [ -f "$target/site.stamp" ] || { echo "$target/site.stamp"; return 0; }
  find "$web/src" "$web/public" "$web/build" "$web/index.html" "$web/package.json" "$web/package-lock.json" "$web/tsconfig.json" \
    "$web/vite.config.ts" "$root/client-js/src" -newer "$target/site.stamp" | head -n 1
}

# Whether the Node on the PATH is new enough, and has npm.
has_node() {
  command -v npm >/dev/null || return 1
  version=$(node --version 2>/dev/null) || return 1
  version=${version#v}
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  [ "$major" -gt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge 12 ]; } || { [ "$major" -eq 20 ] && [ "$minor" -ge 19 ]; }
}

# Puts a Node on the PATH.
need_node() {
  has_node && return 0
  fetched=$target/node
  if [ ! -x "$fetched/bin/node" ]; then
    say "  fetching Node.js for the web app (only the first time) ..."
    "$JAVA_HOME/bin/java" "$web/build/FetchNode.java" "$fetched" ||
      die "there is no Node.js 20.19 or newer with npm here, and none could be fetched: install one, configure npm's registry (npm_config_registry)," \
        "or leave the web app out with -Dholdfast.web=off"
  fi
  PATH=$fetched/bin:$PATH
  export PATH
}

# Runs a step with its output in the log; shows it if the step fails.
step() {
  said=$1
  shift
  say "  web app: $said ..."
  if ! (cd "$web" && "$@") >"$target/site.log" 2>&1; then
    cat "$target/site.log" >&2
    die "$said failed; its output is above"
  fi
}

install_packages() {
  if ! cmp -s "$web/package-lock.json" "$web/node_modules/.holdfast-lock"; then
    step "installing its packages" npm ci --ignore-scripts --no-audit --no-fund --prefer-offline
    cp "$web/package-lock.json" "$web/node_modules/.holdfast-lock"
  fi
}

if [ "${1-on}" = off ]; then
  rm -rf "$site" "$target/site.stamp"
  exit 0
fi
[ -n "$(newer_source)" ] || exit 0

mkdir -p "$target"
lock_take "$target/site.lock"
if [ -n "$(newer_source)" ]; then
  # Taken before the build, so that what is edited while it runs counts as newer.
  : >"$target/site.began"
  need_node
  install_packages
  step "checking types" npm run --silent typecheck
  step "bundling" npm run --silent build
  step "holding its budget" node build/finish.mjs "$target/site.new"
  rm -rf "$site"
  mv "$target/site.new" "$site"
  mv "$target/site.began" "$target/site.stamp"
fi
lock_free
