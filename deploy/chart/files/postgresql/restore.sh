#!/usr/bin/env bash
# Brings back what backup.sh wrote, in one transaction: all of it, or nothing has
# changed. No scheduler may run meanwhile.
#
#   SCHEMA=fluxnetes restore.sh FOLDER
#
# That is the newest in the folder, or the one that the variable BACKUP names.
set -euo pipefail

folder=$1
name=${BACKUP:-$(printf '%s\n' "$folder"/fluxnetes-*.dump | sort | tail -n 1)}
name=$folder/${name##*/}
if [[ ! -f $name ]]; then
  echo "restore: there is no $name; there are:" >&2
  ls "$folder" >&2
  exit 1
fi

psql=(psql -X -q -v ON_ERROR_STOP=1 -v schema="$SCHEMA")
others=$("${psql[@]}" -A -t -c "SELECT count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user
    AND pid <> pg_backend_pid()")
if ((others > 0)); then
  echo "restore: $others connections of schedulers are open; scale them down" \
    "first: kubectl scale deployment NAME --replicas=0" >&2
  exit 1
fi

# A file that ends early brings no COMMIT.
{
  echo 'BEGIN; SET LOCAL client_min_messages = warning;' &&
    echo 'DROP SCHEMA IF EXISTS :"schema" CASCADE;' &&
    pg_restore --file - "$name" &&
    echo 'COMMIT;'
} | "${psql[@]}" >/dev/null
echo "restored $name"
