#!/bin/sh
# Makes the secrets of this installation once, each into a file of the secrets volume, so that none has a default and none stands in a file of the project.
set -eu
cd /secrets
umask 027

secret() {
  [ -s "$1" ] || head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$1"
}

secret key-pepper
secret bootstrap-secret
secret postgres-password
secret grafana-password
printf 'postgresql://tollgate:%s@postgres:5432/tollgate' "$(cat postgres-password)" >database-url
# 1000: the services' user. 999: the Postgres image's user; only it and the services' group may read.
chown 1000:1000 key-pepper bootstrap-secret database-url
chown 999:1000 postgres-password
# 472: the Grafana image's user.
chown 472:0 grafana-password
chmod 0440 key-pepper bootstrap-secret database-url postgres-password grafana-password
