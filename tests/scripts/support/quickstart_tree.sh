# shellcheck shell=bash
# A checkout in which hack/quickstart can be tried, for scripts that have sourced
# claims.sh: $tree, and what there is to say of it.
# shellcheck disable=SC2154  # claims.sh has $scratch

# A checkout of its own; its path has what paths may have.
tree="$scratch/a #1 tree's"
program=$(hack/build test --print-folder)/services/fluxnetes
mkdir -p "$tree/hack" "$tree/build/release/services"
cp hack/quickstart hack/postgres hack/cluster "$tree/hack"
mkdir "$tree/tests"
cp -R tests/cluster_tools "$tree/tests"
cp -R deploy "$tree"
cp "$program" "$tree/build/release/services/fluxnetes"
stub() {  # SCRIPT COMMANDS
  printf '#!/bin/sh\n%s\n' "$2" >"$tree/hack/$1"
  chmod +x "$tree/hack/$1"
}
stub install true
stub build true
chmod 755 "$scratch" "$tree"
trap '"$tree/hack/quickstart" --stop >/dev/null; rm -rf "$scratch"' EXIT

echo "$tree" >"$scratch/tree"
processes() {  # those of the checkout
  {
    grep -lF -f "$scratch/tree" /proc/[0-9]*/cmdline
    find /proc/[0-9]*/{exe,cwd} -maxdepth 0 -lname "*$tree*"
  } 2>/dev/null | cut -d / -f 3 | sort -u | while read -r pid; do
    tr '\0' ' ' <"/proc/$pid/cmdline"
    echo
  done
}
nothing_runs() { [[ -z $(processes) ]] || { processes && false; }; }
only_its_folders() { [[ $(cd "$tree" && echo * .fluxn*) == "build deploy hack tests .fluxnetes" ]]; }
shows() { grep -qE -- "$1" "$scratch/shown"; }

quickstart() { timeout -k 10 "${patience:-120}" "$tree/hack/quickstart" "$@"; }
