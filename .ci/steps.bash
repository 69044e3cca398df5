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

# By the names of Debian's packages. Without etcd there is no fleet, and without valgrind no instructions are counted.
install_tools() {
  for need in etcd:etcd-server etcdctl:etcd-client valgrind:valgrind curl:curl python3:python3 ip:iproute2 \
    /usr/include/sqlite3.h:libsqlite3-dev /usr/include/postgresql/libpq-fe.h:libpq-dev /usr/lib/postgresql:postgresql; do
    command -v "${need%:*}" >/dev/null || [ -e "${need%:*}" ] \
      || { run apt-get update -qq && run apt-get install -y -qq "${need#*:}"; } || echo "${need#*:} cannot be installed"
  done
}

# Another seed with each commit, and the same again for the same commit. Where there is no history, the first one.
commit_seed() { echo $(($(git rev-list --count HEAD 2>/dev/null || echo 0) * 1000000)); }
