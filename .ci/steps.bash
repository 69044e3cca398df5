# What .ci/run and .ci/night have in common; both source it.
step() { printf '\n\033[1m== %s (%d s)\033[0m\n' "$1" "$SECONDS"; }
fail() { printf 'failed: %s\n' "$1" >&2; exit 1; }
run() { printf '+ %s\n' "$*"; "$@"; }

# Runs tests, and says at the end which have failed: that may be far up in a long log.
tests() {
  local log
  log=$(mktemp)
  run "$@" 2>&1 | tee "$log" || { grep -E '✘|recorded an issue|WARNING: ThreadSanitizer|ERROR: AddressSanitizer' "$log" >&2; fail "tests"; }
  rm -f "$log"
}

# has STEP NEED…: whether all is there that the step needs besides Swift, each as FILE-OR-COMMAND:PACKAGE of Debian. Under CI=true,
# what is missing is installed. Nothing is installed on a machine unasked: there it is named, and the step must be skipped.
skipped=
has() {
  local step=$1 need missing=()
  shift
  for need in "$@"; do
    command -v "${need%:*}" >/dev/null || [ -e "${need%:*}" ] || missing+=("${need#*:}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "${CI:-}" = true ]; then
    { run apt-get update -qq && run apt-get install -y -qq "${missing[@]}"; } || fail "$step needs: ${missing[*]}"
    return 0
  fi
  printf '\033[1mSKIPPED: %s, which needs: %s\033[0m\n' "$step" "${missing[*]}" >&2
  skipped+="${skipped:+, }$step"
  return 1
}

# The last line: what was skipped is easily missed far up in a log.
passed() { step "passed${skipped:+, BUT NOT RUN: $skipped}"; }

# The explorer, which is a package of its own.
explore() { run swift run --package-path Tests/explore -c release explore "$@"; }

# explore_threads MINUTES: everything at once on real threads, then the programs of each type, for so long each, under ThreadSanitizer.
explore_threads() {
  local -x SERIALTASKS_TSAN=1 TSAN_OPTIONS="suppressions=$PWD/Tests/thread-sanitizer.supp"
  local only
  for only in "" "--model line-programs" "--model key-programs" "--model repository-programs" "--model flight-programs"; do
    # shellcheck disable=SC2086
    run swift run --package-path Tests/explore --sanitize=thread --scratch-path .build/tsan-explore explore \
      --soak "$1" --seed "$(($(commit_seed) + 1))" $only
  done
}

# Another seed with each commit, and the same again for the same commit. Where there is no history, the first one.
commit_seed() { echo $(($(git rev-list --count HEAD 2>/dev/null || echo 0) * 1000000)); }
