#!/bin/sh
# Runs the README's commands as on a machine that has never seen Holdfast: a clone of the last commit, an empty home, nothing of Maven's, and
# none of this shell's variables but those that lead to a registry.
#
#   verification/fresh-machine.sh              ./holdfast demo
#   verification/fresh-machine.sh demo test    that, and ./holdfast test
#
# What is not committed is left out. Maven's settings.xml of the real user counts, since a mirror may be named there.

set -eu

root=$(cd "${0%/*}/.." && pwd -P)
[ $# -gt 0 ] || set -- demo
for command; do
  case "$command" in
    demo | test) ;;
    *)
      echo "fresh-machine.sh: \"$command\" is none of demo and test" >&2
      exit 2
      ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$work/home"
git clone -q "file://$root" "$work/holdfast"

# A variable as `env` takes it, or nothing if it is not set.
given() { eval "[ -z \"\${$1-}\" ] || printf '%s=%s' '$1' \"\$$1\""; }

for command; do
  echo "fresh machine: ./holdfast $command"
  # The JVM takes the home from the password database, so Maven is told where its repository is.
  set -- "HOME=$work/home" "PATH=$PATH" "MAVEN_ARGS=-Dmaven.repo.local=$work/home/.m2/repository"
  for name in http_proxy https_proxy no_proxy npm_config_registry NODE_EXTRA_CA_CERTS MVNW_REPOURL; do
    value=$(given "$name")
    [ -z "$value" ] || set -- "$@" "$value"
  done
  env -i "$@" "$work/holdfast/holdfast" "$command"
done
echo "fresh machine: all is well"
