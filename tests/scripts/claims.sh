# shellcheck shell=bash
# Tests in bash: each claim prints a line that hack/test counts.
#
#   claim WORDS COMMAND...         holds if COMMAND succeeds
#   claim WORDS ! COMMAND...       holds if it fails
#   claim_says WORDS TEXT COMMAND...   holds if its output contains TEXT
#   skip WORDS WHY                 cannot be tried here
#   start_postgres                 a server whose data nobody keeps, at $url
#   typed PAGE WORDS [SED]         types the block of the manual that has these words,
#                                  in the folder $place, with what SED makes of it
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
scratch=$(hack/scratch fluxnetes-script) || exit
trap 'rm -rf "$scratch"' EXIT

claim() {
  local words=$1 wanted=0 status=0
  shift
  if [[ $1 == '!' ]]; then
    wanted=1
    shift
  fi
  "$@" >"$scratch/output" 2>&1 || status=1
  if ((status == wanted)); then
    echo "ok $words"
  else
    echo "not ok $words"
    cat "$scratch/output"
  fi
}

claim_says() {
  local words=$1 text=$2
  shift 2
  "$@" >"$scratch/output" 2>&1
  if grep -qF -- "$text" "$scratch/output"; then
    echo "ok $words"
  else
    echo "not ok $words: no '$text' in"
    cat "$scratch/output"
  fi
}

skip() { echo "skipped $1: $2"; }

# shellcheck disable=SC2034  # scripts use $url
start_postgres() {  # a trap of the script's stops it in $scratch/postgres
  chmod 755 "$scratch"
  hack/postgres start "$scratch/postgres" -c fsync=off -c full_page_writes=off &&
    url=$(hack/postgres url "$scratch/postgres")
}

typed() {
  tests/scripts/support/docs.py block "$1" "$2" | sed -e "${3:-}" >"$scratch/typed" || return
  (cd "${place:-.}" && timeout 600 bash -eu -o pipefail "$scratch/typed" </dev/null)
}
