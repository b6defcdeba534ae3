#!/usr/bin/env bash
# Writes what Fluxnetes keeps in its database into a file of a folder, and removes
# the oldest of those that were written so, but for the newest KEEP.
#
#   SCHEMA=fluxnetes KEEP=14 backup.sh FOLDER
set -euo pipefail

folder=$1
name=$folder/fluxnetes-$(date -u +%Y-%m-%dT%H-%M-%SZ).dump
trap 'rm -f "$name.part"' EXIT
pg_dump --format custom --schema "$SCHEMA" --file "$name.part"
# That it can be read, before it counts.
pg_restore --list "$name.part" >/dev/null
sync "$name.part"
mv "$name.part" "$name"
echo "wrote $name ($(stat -c %s "$name") bytes)"

mapfile -t old < <(printf '%s\n' "$folder"/fluxnetes-*.dump | sort -r |
  tail -n +$((KEEP + 1)))
for name in "${old[@]}"; do
  rm -f "$name"
  echo "removed $name"
done
