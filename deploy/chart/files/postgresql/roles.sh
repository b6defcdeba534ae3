#!/usr/bin/env bash
# Run once, when the database is made: who may do what in it. The scheduler owns
# the database and nothing else; people who may look are given fluxnetes_viewer.
set -euo pipefail

psql -X -q -v ON_ERROR_STOP=1 -U postgres -d "$POSTGRES_DB" \
  -v password="$FLUXNETES_PASSWORD" -v database="$POSTGRES_DB" <<'END'
CREATE ROLE fluxnetes LOGIN PASSWORD :'password';
CREATE ROLE fluxnetes_viewer NOLOGIN;
ALTER DATABASE :"database" OWNER TO fluxnetes;
REVOKE ALL ON DATABASE :"database" FROM public;
GRANT CONNECT ON DATABASE :"database" TO fluxnetes_viewer;
END
