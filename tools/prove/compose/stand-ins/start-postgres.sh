#!/bin/sh
# What Postgres' own image does at its first start, as far as docker-compose.yml asks for it: a cluster, its superuser, a database and the scripts of a folder.
set -eu
[ "$1" = postgres ] || exec "$@"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" --auth-local trust --auth-host scram-sha-256
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -w -o '-c listen_addresses=' start
  [ "$POSTGRES_DB" = postgres ] || createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do
    [ ! -f "$script" ] || sh "$script"
  done
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec postgres -D "$PGDATA" -c listen_addresses='*'
