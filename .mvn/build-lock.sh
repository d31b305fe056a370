# One build at a time in a checkout. Sourced by ./holdfast (POSIX sh), which has `say` and `die`.
#
# The lock is a symbolic link to the name of its holder: it is there with its holder or not at all, however the holder ends. Who finds a dead
# holder takes the link away under a second lock of the same kind, so that of two who find it at once none takes a third one's.

# How often a link may be neither made nor found before it is clear that it cannot be made.
LOCK_MAX_MISSES=20

lock_me="process $$"

lock_try() { ln -s "$lock_me" "$1" 2>/dev/null; }

# Sets lock_holder to the process that holds the lock $1, or to nothing.
lock_see() {
  lock_holder=$(readlink "$1" 2>/dev/null) || lock_holder=
  lock_holder=${lock_holder#process }
}

# Another user's process cannot be signalled, but it lives.
lock_is_alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1; }

# Takes the lock $1, or waits for it.
lock_take() {
  lock=$1
  lock_told=
  lock_misses=0
  trap lock_free EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  until lock_try "$lock"; do
    lock_see "$lock"
    if [ -z "$lock_holder" ]; then
      lock_misses=$((lock_misses + 1))
      [ "$lock_misses" -lt "$LOCK_MAX_MISSES" ] || die "cannot make the lock $lock; see what is there, and remove it"
    elif lock_is_alive "$lock_holder"; then
      [ -n "$lock_told" ] ||
        say "waiting for another build in this checkout (process $lock_holder; if that is none, remove $lock)"
      lock_told=yes
      sleep 1
    else
      lock_take_away "$lock_holder"
    fi
  done
}

# Takes away the lock of the process $1, which is dead.
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
  for lock_each in "$lock" "$lock.dead"; do
    [ "$(readlink "$lock_each" 2>/dev/null)" != "$lock_me" ] || rm -f "$lock_each"
  done
  trap - EXIT HUP INT TERM
}
