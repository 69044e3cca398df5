#!/usr/bin/env bash
# Fails if a part of the repository is larger than .ci/sizes allows: lines of each folder, words of the documentation, and bytes of
# the smallest programs that use a type. What must grow is raised there by hand, in a commit that says why.
#
#   .ci/sizes.bash           counts lines and words, in a moment
#   .ci/sizes.bash --bytes   builds the clients below Benchmarks, and counts their bytes, of which one in a hundred is noise
#   .ci/sizes.bash --write   writes down what has become smaller, or is gone; also after --bytes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() { printf 'failed: %s\n' "$1" >&2; exit 1; }

# Prints KIND SIZE PART for each folder, without Markdown, and for the documentation.
lines_and_words() {
  git ls-files -z --cached --others --exclude-standard Sources Tests Benchmarks README.md CONTRIBUTING.md |
    while IFS= read -r -d '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done | LC_ALL=C xargs -0 wc -lw | awk '
      {
        depth = split($3, folder, "/")
        part = folder[1] "/" folder[2]
        if (part == "Sources/SerialTasks" || part == "Sources/CoalescingTasks" && depth > 3) part = part "/" folder[3]
        if (folder[1] == "Benchmarks" && folder[2] != "Service") part = folder[1]
      }
      depth == 1 && /\.md$/ { print "words", $2, $3; next }
      depth == 1 || depth == 2 && folder[1] != "Benchmarks" { next }
      /\.docc\// { if (/\.md$/) size["words articles"] += $2; next }
      ! /\.md$/ { size["lines " part] += $1 }
      END { for (each in size) { split(each, name, " "); print name[1], size[each], name[2] } }'
}

# The same of each client, stripped. Another compiler or kind of machine makes other programs, so .ci/sizes says which they are of.
bytes() {
  local client built program
  program=$(mktemp)
  built=$(swift build --package-path Benchmarks -c release --show-bin-path)
  for client in client-line client-keyed client-repository; do
    swift build --package-path Benchmarks -c release --product "$client" >&2
    strip -o "$program" "$built/$client"
    echo "bytes $(wc -c <"$program") $client"
  done
  rm "$program"
}

kinds="lines words" write=
for argument in "$@"; do
  case $argument in
    --bytes) kinds=bytes ;;
    --write) write=1 ;;
    *) fail "unknown argument $argument; usage: sizes.bash [--bytes] [--write]" ;;
  esac
done
machine="$(uname -sm), $(swift --version 2>/dev/null | grep -o 'Swift version [^ ]*')"
made_by=$(sed -n 's/^# \(.*, Swift version .*\)/\1/p' .ci/sizes)
if [ "$kinds" = bytes ] && [ "$machine" != "$made_by" ]; then
  printf 'not compared: the bytes are of %s, and this is %s\n' "$made_by" "$machine"
  exit
fi

if [ "$kinds" = bytes ]; then sizes=$(bytes); else sizes=$(lines_and_words); fi
new=$(mktemp)
trap 'rm "$new"' EXIT
status=0
awk -v kinds="$kinds" -v new="$new" '
  NR == FNR { size[$1 " " $3] = $2; next }
  /^#/ || index(kinds, $1) == 0 { print >new; next }
  {
    name = $1 " " $3
    now = name in size ? size[name] : 0
    known[name] = 1
    if (now > $2 * ($1 == "bytes" ? 1.01 : 1)) {
      printf "%s has grown: it has %d %s, and .ci/sizes allows %d. To allow more, write \"%s %d %s\" there, in a commit that says why.\n",
        $3, now, $1, $2, $1, now, $3
      failed = 1
    }
    if (now < $2 * ($1 == "bytes" ? 0.99 : 1)) printf "%s is smaller: %d %s in place of %d; --write writes that down.\n", $3, now, $1, $2
    if (now > 0) print $1, now < $2 ? now : $2, $3 >new
  }
  END {
    for (name in size) if (!(name in known)) {
      split(name, part, " ")
      printf "%s is not in .ci/sizes: write \"%s %d %s\" there, in a commit that says why.\n", part[2], part[1], size[name], part[2]
      failed = 1
    }
    exit failed
  }' <(echo "$sizes") .ci/sizes || status=$?
if [ "$write" ]; then cat "$new" >.ci/sizes; fi
exit "$status"
