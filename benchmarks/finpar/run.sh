#!/bin/bash
# Runs the three programs of the FinPar collection on its data and compares the results: run.sh [DATA [SIZE...]].
# DATA (or $FINPAR_DATA) is a folder with OptionPricing/, LocVolCalib/ and InterestCalib/, each with SIZE.in and SIZE.out;
# SIZE is small, medium or large (default: small). Times are in seconds. "deviation" is the largest relative difference
# between a result and the reference, or - if there is no reference. Fails if a deviation is too large.
# $BACKENDS, $ROUNDS and $RAVEL choose the back ends, how often each program runs (the least time counts), the compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${1:-${FINPAR_DATA:?name the folder with the data, as an argument or in FINPAR_DATA}}
shift $(($# > 0 ? 1 : 0))
if [ $# -eq 0 ]; then set -- small; fi
read -ra backends <<< "${BACKENDS:-c multicore}"
rounds=${ROUNDS:-1}
ravel=${RAVEL:-ravel}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

now() { date +%s%N; }
seconds() { awk -v t="$1" 'BEGIN {printf "%.2f", t / 1e9}'; }

# All numbers of a file of values, one on each line, without comments and type suffixes.
numbers() { sed 's/--.*//; s/[fi]\(32\|64\)//g' "$1" | tr -s '[], \t' '\n' | sed '/^$/d'; }

# The largest relative difference between two files of values; "wrong" if they differ in size or one is not finite.
deviation() {
  paste <(numbers "$1") <(numbers "$2") | awk '
    function abs(x) {return x < 0 ? -x : x}
    NF != 2 || /n/ {wrong = 1}
    {d = abs($1 - $2) / ($2 == 0 ? 1 : abs($2)); if (d > worst) worst = d}
    END {if (wrong || NR == 0) print "wrong"; else printf "%.1e\n", worst}'
}

# The likelihood and the prices of the calibrated model, without the five parameters and the differences in percent.
likelihood_and_prices() { numbers "$1" | tail -n +"$2" | awk 'NR == 1 || NR % 3 != 1'; }

# Compares the results of a program with the reference. The best parameters of InterestCalib are not unique: compare their
# likelihood, which may be greater, and the prices for the parameters of the reference.
compare() {
  if [ "$1" != interest ]; then deviation "$folder/out" "$2.out"; return; fi
  # In the collection, large.out of InterestCalib is a copy of medium.out, although the swaptions are others.
  if [ "${2##*/}" = large ] && cmp -s "$2.out" "${2%/*}/medium.out"; then echo -; return; fi
  numbers "$2.out" | sed -n 6p > "$folder/wanted"
  { cat "$folder/wanted"; numbers "$folder/out" | sed -n 6p; } | sort -g | head -1 > "$folder/found"
  { numbers "$2.out" | head -5; cat "$2.in"; } | "$folder/$1-$3" --entry evaluation > "$folder/out"
  likelihood_and_prices "$folder/out" 1 >> "$folder/found"
  likelihood_and_prices "$2.out" 6 >> "$folder/wanted"
  deviation "$folder/found" "$folder/wanted"
}

wrong=0
printf '%-18s %-8s %-10s %7s %8s %10s\n' program size "back end" build run deviation
for names in option_pricing:OptionPricing local_volatility:LocVolCalib interest:InterestCalib; do
  program=${names%:*} entries=(--entry main)
  if [ "$program" = interest ]; then entries+=(--entry evaluation); fi
  for backend in "${backends[@]}"; do
    start=$(now)
    "$ravel" build --backend "$backend" "${entries[@]}" "$here/$program.rv" -o "$folder/$program-$backend"
    build=$(($(now) - start))
    for size in "$@"; do
      input=$data/${names#*:}/$size best=
      for _ in $(seq "$rounds"); do
        start=$(now)
        "$folder/$program-$backend" --entry main < "$input.in" > "$folder/out"
        time=$(($(now) - start))
        if [ -z "$best" ] || [ "$time" -lt "$best" ]; then best=$time; fi
      done
      # The reference adds 131,072 payoffs one after the other in f32; rounding takes 0.1% of its sum.
      allowed=1e-3
      if [ "$program-$size" = option_pricing-large ]; then allowed=2e-3; fi
      found=$(compare "$program" "$input" "$backend")
      printf '%-18s %-8s %-10s %7s %8s %10s\n' "$program" "$size" "$backend" "$(seconds "$build")" "$(seconds "$best")" "$found"
      if [ "$found" != - ] && ! awk -v d="$found" -v a="$allowed" 'BEGIN {exit !(d + 0 == d && d <= a)}'; then wrong=1; fi
    done
  done
done
exit "$wrong"
