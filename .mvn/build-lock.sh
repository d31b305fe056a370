# One build at a time in a checkout. Sourced by ./holdfast (POSIX sh), which has `say` and `die`.
#
# Where there is flock(1), the kernel keeps the lock, on an open file that the build inherits: it is gone with the last process of the build,
# however that ends and whichever container it runs in. The file itself stays, and says who had the lock last.
#
# Elsewhere the lock is a symbolic link to the name of its holder: it is there with its holder or not at all, however the holder ends. Who finds
# a dead holder takes the link away under a second lock of the same kind, so that of two who find it at once none takes a third one's.

# How often a link may be neither made nor found before it is clear that it cannot be made.
LOCK_MAX_MISSES=20

lock_me="process $$"

# Takes the lock $1, or waits for it.
lock_take() {
  lock=$1
  lock_told=
  trap lock_free EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  lock_take_of_kernel "${lock%.lock}.flock" || lock_take_link
}

# Says once that the process $1 is waited for, with the hint $2, and waits a little.
lock_wait() {
  [ -n "$lock_told" ] || say "waiting for another build in this checkout (process $1$2)"
  lock_told=yes
  sleep 1
}

# Takes the kernel's lock on the file $1, or waits for it. Returns 1 if there is no such lock here.
lock_take_of_kernel() {
  command -v flock >/dev/null || return 1
  [ -e "$1" ] || : >>"$1"
  [ -r "$1" ] || return 1
  exec 9<"$1"
  while :; do
    lock_code=0
    flock -n 9 2>/dev/null || lock_code=$?
    case "$lock_code" in
      0)
        { echo "$$" >"$1"; } 2>/dev/null || : # another user's file cannot be written, but locked
        return 0
        ;;
      1)
        read -r lock_holder <"$1" || lock_holder=unknown
        lock_wait "$lock_holder" ""
        ;;
      *)
        exec 9<&-
        return 1
        ;;
    esac
  done
}

lock_try() { ln -s "$lock_me" "$1" 2>/dev/null; }

# Sets lock_holder to the process that holds the link $1, or to nothing.
lock_see() {
  lock_holder=$(readlink "$1" 2>/dev/null) || lock_holder=
  lock_holder=${lock_holder#process }
}

# Another user's process cannot be signalled, but it lives.
lock_is_alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1; }

# Takes the link, or waits for it.
lock_take_link() {
  lock_misses=0
  until lock_try "$lock"; do
    lock_see "$lock"
    if [ -z "$lock_holder" ]; then
      lock_misses=$((lock_misses + 1))
      [ "$lock_misses" -lt "$LOCK_MAX_MISSES" ] || die "cannot make the lock $lock; see what is there, and remove it"
    elif lock_is_alive "$lock_holder"; then
      lock_wait "$lock_holder" "; if that is none, remove $lock"
    else
      lock_take_away "$lock_holder"
    fi
  done
}

# Takes away the link of the process $1, which is dead.
lock_take_away() {
  if ! lock_try "$lock.dead"; then
    lock_see "$lock.dead"
    [ -z "$lock_holder" ] || lock_is_alive "$lock_holder" || die "a start was killed half way; remove $lock.dead"
    sleep 1
    return 0
  fi
  # Nobody else takes a lock away now, and its dead holder does not: what is seen here stays.
  lock_see "$lock"
  [ "$lock_holder" != "$1" ] || rm -f "$lock"
  rm -f "$lock.dead"
}

# Gives back whatever this process holds.
lock_free() {
  exec 9<&-
  for lock_each in "$lock" "$lock.dead"; do
    [ "$(readlink "$lock_each" 2>/dev/null)" != "$lock_me" ] || rm -f "$lock_each"
  done
  trap - EXIT HUP INT TERM
}
