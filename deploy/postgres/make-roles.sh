#!/bin/sh
# Makes the roles of roles.sql, with the passwords that make-secrets.sh made.
set -eu
PGPASSWORD=$(cat /secrets/postgres-password) exec psql -q -v ON_ERROR_STOP=1 -h postgres -U tollgate -d tollgate \
  -v migrations="$(cat /secrets/postgres-migrations)" \
  -v accounts="$(cat /secrets/postgres-accounts)" \
  -v catalog="$(cat /secrets/postgres-catalog)" \
  -v metering="$(cat /secrets/postgres-metering)" \
  -f /roles/roles.sql
