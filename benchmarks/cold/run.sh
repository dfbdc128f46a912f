#!/bin/bash
# How long programs that use much of the library take from `ravel run` to their output, when nothing is kept of earlier
# runs and when their code is: run.sh [BACK-END [RUNS]]. Milliseconds, the least of the runs. "ravel" is what Ravel itself
# takes of a cold run: translating to C, without the C compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
backend=${1:-multicore}
runs=${2:-3}
ravel=${RAVEL:-ravel}
RAVEL_CACHE=$(mktemp -d)
export RAVEL_CACHE
trap 'rm -rf "$RAVEL_CACHE"' EXIT

# The least time of several runs of a command, in milliseconds, each after a preparation.
least() {
  local prepare=$1 best= start end
  shift
  for _ in $(seq "$runs"); do
    $prepare
    start=$(date +%s%N)
    "$@" > "$RAVEL_CACHE/out" || return 1
    end=$(date +%s%N)
    local time=$(((end - start) / 100000))
    if [ -z "$best" ] || [ "$time" -lt "$best" ]; then best=$time; fi
  done
  echo "$((best / 10)).$((best % 10))"
}

forget() { rm -rf "${RAVEL_CACHE:?}"/*; }

printf '%-20s %5s %8s %8s %8s\n' program lines cold ravel cached
while read -r program arguments; do
  file=$here/$program.rv
  # shellcheck disable=SC2086 # The arguments are several words.
  cold=$(least forget "$ravel" run --backend "$backend" "$file" $arguments)
  # shellcheck disable=SC2086
  cached=$(least : "$ravel" run --backend "$backend" "$file" $arguments)
  own=$(least : "$ravel" ir --stage c "$file")
  printf '%-20s %5d %8s %8s %8s\n' "$program" "$(wc -l < "$file")" "$cold" "$own" "$cached"
done <<'END'
any_rank_stencil 8
clusters 200 4
fft_filter 100
graph 60 100
matrices 50
random_walks 100 50
regression 100 3
roots 8
sales 500
signals 300
END
