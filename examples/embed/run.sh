#!/bin/sh
# Builds the library and the program that uses it in a folder, and runs it: run.sh [FOLDER]
set -eu
here=$(dirname "$0")
folder=${1:-build}
cc=${CC:-cc}
ravel=${RAVEL:-ravel}
mkdir -p "$folder"
"$ravel" build --lib "$here/stats.rv" -o "$folder/stats"
"$cc" -std=c11 -Wall -Wextra -Werror -O1 -I"$folder/stats" "$here/main.c" -o "$folder/main" \
  -L"$folder/stats" -lstats -Wl,-rpath,"$(cd "$folder/stats" && pwd)" -pthread
"$folder/main"
