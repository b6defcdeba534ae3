#!/usr/bin/env bash
# Stands for the entrypoint of the image postgres:15, which is not to be had here:
# what its documentation says of the variables that the chart sets.
set -euo pipefail

if [[ ! -s $PGDATA/PG_VERSION ]]; then
  initdb -D "$PGDATA" -U postgres -E UTF8 --locale=C.UTF-8 --no-sync \
    --auth-local=trust --auth-host=scram-sha-256 \
    --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  # While it is made it listens on its socket alone.
  pg_ctl -s -w -D "$PGDATA" -o '-c listen_addresses=' start
  psql -X -q -U postgres -d postgres -c "CREATE DATABASE $POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do bash "$script"; done
  pg_ctl -s -w -D "$PGDATA" -m fast stop
fi
exec postgres "$@"
