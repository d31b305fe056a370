#!/bin/sh
# Plants one defect after the other into a copy of this checkout and runs the suite that must notice it.
#
#   verification/mutants.sh            all mutants
#   verification/mutants.sh NAME...    some of them
#
# A mutant is a file verification/mutants/NAME.patch: a line that says what it does, `Breaks:` with the invariant, `Suite:` with the module
# and its test classes, and the patch. To add one, break the code by hand and put `git diff` under such a head.
#
# First each suite is run on the code as it is: a suite that is red anyway would catch everything.
#
# Exit code 0: every mutant was caught. 1: one survived, or no longer fits the code, or a suite is red without it.

set -eu

root=$(cd "$(dirname "$0")/.." && pwd -P)
copy=$(mktemp -d "${TMPDIR:-/tmp}/holdfast-mutants.XXXXXX")
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT TERM

cd "$root"
if [ $# -eq 0 ]; then
  for patch in verification/mutants/*.patch; do
    name=${patch##*/}
    set -- "$@" "${name%.patch}"
  done
fi

mkdir "$copy/tree"
git ls-files -co --exclude-standard -z | tar --null -T - -cf - | (cd "$copy/tree" && tar -xf -)
cd "$copy/tree"

head_of() { sed -n "s/^$1: //p" "$root/verification/mutants/$2.patch" | head -n 1; }

run_suite() { # NAME of the mutant, log
  suite=$(head_of Suite "$1")
  ./mvnw -B -Dholdfast.gates=off -pl "${suite%% *}" -am test "-Dtest=${suite#* }" >"$2" 2>&1
}

verdict() {
  if ! patch -p1 -s -f -i "$root/verification/mutants/$1.patch" >"$copy/$1.log" 2>&1; then
    echo "does not fit the code any more"
    return
  fi
  code=0
  run_suite "$1" "$copy/$1.log" || code=$?
  patch -p1 -s -R -f -i "$root/verification/mutants/$1.patch" >/dev/null
  if [ "$code" -eq 0 ]; then
    echo "SURVIVED"
  elif grep -q 'Failed to execute goal .*maven-surefire-plugin' "$copy/$1.log"; then
    echo "caught"
  else
    echo "cannot be built"
  fi
}

green=
for name in "$@"; do
  suite=$(head_of Suite "$name")
  case "$green" in *"[$suite]"*) continue ;; esac
  echo "without a mutant: $suite"
  if ! run_suite "$name" "$copy/baseline.log"; then
    echo "This suite fails on the code as it is, so it proves nothing. Mend it first:" >&2
    tail -n 40 "$copy/baseline.log" >&2
    exit 1
  fi
  green="$green[$suite]"
done

failed=0
printf '%-32s %-20s %-46s %s\n' mutant breaks suite verdict
for name in "$@"; do
  result=$(verdict "$name")
  printf '%-32s %-20s %-46s %s\n' "$name" "$(head_of Breaks "$name")" "$(head_of Suite "$name")" "$result"
  if [ "$result" != caught ]; then
    failed=1
    tail -n 20 "$copy/$name.log" >&2
  fi
done
exit $failed
