#!/bin/sh
# Measures a map over 100 million doubles against a plain OpenMP loop: run.sh [FOLDER [COUNT]]
set -eu
here=$(dirname "$0")
folder=${1:-build}
count=${2:-100000000}
cc=${CC:-cc}
ravel=${RAVEL:-ravel}
mkdir -p "$folder"
"$ravel" build --lib "$here/map.rv" -o "$folder/map"
"$cc" -std=c11 -Wall -Wextra -Werror -O3 -march=native -ffp-contract=off -fopenmp -I"$folder/map" "$here/main.c" \
  -o "$folder/main" -L"$folder/map" -lmap -Wl,-rpath,"$(cd "$folder/map" && pwd)"
"$folder/main" "$count"
