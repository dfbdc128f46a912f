#!/bin/bash
# Measures `multicore` against `c` while all cores are busy with something else, and while they are not:
# run.sh [FOLDER [ROUNDS]]. The programs have many small loops. Both executables take turns. Milliseconds: the median of
# whole runs, and the worst one. Fails if `multicore` takes more than twice the time of `c` on busy cores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-build}
rounds=${2:-9}
ravel=${RAVEL:-ravel}
mkdir -p "$folder"
busy=()
trap 'for pid in "${busy[@]}"; do kill "$pid"; done' EXIT

programs=("steps 80" "quicksort 20000" "hull 100000" "sparse 20000 50")
for program in "${programs[@]}"; do
  name=${program%% *}
  for backend in c multicore; do "$ravel" build --backend "$backend" "$here/$name.rv" -o "$folder/$name-$backend"; done
done

# Runs an executable once and notes its time in microseconds.
once() {
  local start end
  start=$(date +%s%N)
  "$folder/$1" --no-result "${@:2}" || exit 1
  end=$(date +%s%N)
  echo $(((end - start) / 1000)) >> "$folder/$1.times"
}

median() { sort -n "$folder/$1.times" | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }
worst() { sort -n "$folder/$1.times" | tail -1; }

slow=0
measure() {
  printf '%-26s %10s %10s %10s %10s %8s\n' "$1" c worst multicore worst ratio
  for program in "${programs[@]}"; do
    read -r name args <<< "$program"
    rm -f "$folder/$name"-*.times
    for _ in $(seq "$rounds"); do
      # shellcheck disable=SC2086 # arguments are words
      for backend in c multicore; do once "$name-$backend" $args; done
    done
    c=$(median "$name-c") multicore=$(median "$name-multicore")
    awk -v n="$program" -v c="$c" -v cw="$(worst "$name-c")" -v m="$multicore" -v mw="$(worst "$name-multicore")" \
      'BEGIN {printf "%-26s %10.1f %10.1f %10.1f %10.1f %8.2f\n", n, c / 1000, cw / 1000, m / 1000, mw / 1000, m / c}'
    if [ "${#busy[@]}" -gt 0 ] && [ "$multicore" -gt $((2 * c)) ]; then slow=1; fi
  done
}

measure "as the machine is"
for _ in $(seq "$(nproc)"); do
  (while :; do :; done) &
  busy+=($!)
done
measure "every core busy"
exit "$slow"
