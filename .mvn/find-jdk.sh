# Finds a JDK that can build and run Holdfast, and exports JAVA_HOME. Sourced by ./mvnw and ./holdfast (POSIX sh).
#
# An explicit JAVA_HOME wins when it is new enough; else the newest JDK found on PATH or in the usual folders is taken.
# A JDK counts only if it has javac. Versions are read from the JDK's `release` file, so that a start costs no extra process.

HOLDFAST_MIN_JDK=21

# Sets jdk_major to the feature version of the JDK in $1, or to 0 if there is no JDK.
jdk_probe() {
  jdk_major=0
  [ -n "$1" ] && [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 0
  if [ -r "$1/release" ]; then
    while IFS= read -r jdk_line || [ -n "$jdk_line" ]; do
      case "$jdk_line" in
        JAVA_VERSION=*) jdk_major=${jdk_line#JAVA_VERSION=} ;;
      esac
    done <"$1/release"
  else
    jdk_major=$("$1/bin/javac" -version 2>&1)
    jdk_major=${jdk_major#javac }
  fi
  jdk_major=${jdk_major#\"}
  jdk_major=${jdk_major%%[!0-9]*}
  [ -n "$jdk_major" ] || jdk_major=0
}

jdk_consider() {
  jdk_probe "$1"
  if [ "$jdk_major" -ge "$HOLDFAST_MIN_JDK" ] && [ "$jdk_major" -gt "$jdk_best_major" ]; then
    jdk_best=$1
    jdk_best_major=$jdk_major
  fi
}

jdk_find() {
  jdk_probe "${JAVA_HOME-}"
  if [ "$jdk_major" -ge "$HOLDFAST_MIN_JDK" ]; then
    export JAVA_HOME
    return 0
  fi
  jdk_best=
  jdk_best_major=0
  jdk_javac=$(command -v javac 2>/dev/null) || jdk_javac=
  if [ -n "$jdk_javac" ]; then
    jdk_javac=$(readlink -f "$jdk_javac" 2>/dev/null) || jdk_javac=
    case "$jdk_javac" in
      /usr/bin/javac) ;; # the macOS stub, not a JDK
      *) jdk_consider "${jdk_javac%/bin/javac}" ;;
    esac
  fi
  for jdk_dir in \
    /usr/lib/jvm/* \
    /usr/java/* \
    /usr/local/openjdk-* \
    /opt/* /opt/*/* \
    "${HOME-}"/.sdkman/candidates/java/* \
    "${HOME-}"/.jdks/* \
    "${HOME-}"/.local/share/mise/installs/java/* \
    "${HOME-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    jdk_consider "$jdk_dir"
  done
  if [ -z "$jdk_best" ] && [ -x /usr/libexec/java_home ]; then
    jdk_consider "$(/usr/libexec/java_home -v "$HOLDFAST_MIN_JDK+" 2>/dev/null)"
  fi
  if [ -z "$jdk_best" ]; then
    echo "Holdfast needs a JDK $HOLDFAST_MIN_JDK or newer (with javac), and none was found: install one, or set JAVA_HOME to it." >&2
    return 1
  fi
  JAVA_HOME=$jdk_best
  export JAVA_HOME
}

jdk_find || exit 1
