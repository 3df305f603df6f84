#!/bin/sh
# Makes the secrets of this installation once, each into a file of the secrets volume, so that none has a default and none stands in a file of the project.
# Every service runs as a user of its own (docker-compose.yml) and may read what is meant for it, and nothing else.
set -eu
cd "${SECRETS_FOLDER:-/secrets}"
umask 077

# The users and groups of docker-compose.yml; 999 is the Postgres image's user, 472 the Grafana image's.
proxy=2007 nats=2008
root=0 edge=2001 inference=2002 catalog=2003 accounts=2004 metering=2005 operator=2006 migrations=2010
pepper_users=2102 postgres=999 grafana=472

random() {
  head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'
}

secret() {
  [ -s "$1" ] || random >"$1"
}

# File, owner, group: both may read it.
for_readers() {
  chown "$2:$3" "$1"
  chmod 0440 "$1"
}

secret key-pepper
for_readers key-pepper $root $pepper_users
# Empty, until the pepper is changed: docs/operate.md.
[ -e key-pepper-previous ] || : >key-pepper-previous
for_readers key-pepper-previous $root $pepper_users
secret key-encryption-key
for_readers key-encryption-key $inference $inference
# As the former pepper.
[ -e key-encryption-key-previous ] || : >key-encryption-key-previous
for_readers key-encryption-key-previous $inference $inference
secret bootstrap-secret
for_readers bootstrap-secret $accounts $accounts
secret postgres-password
for_readers postgres-password $postgres $postgres
secret grafana-password
for_readers grafana-password $grafana 0
# The roles of deploy/postgres: each reads its own password as an address, and Postgres, which makes them, all of them.
for role in migrations accounts catalog metering; do
  secret "postgres-$role"
  for_readers "postgres-$role" $postgres $postgres
  printf 'postgresql://tollgate_%s:%s@postgres:5432/tollgate' $role "$(cat "postgres-$role")" >"database-url-$role"
  eval "for_readers database-url-$role \$$role \$$role"
done

# The users of NATS (deploy/nats/users.conf): each service reads its own password, nats-server all of them.
: >nats-passwords.conf
for user in edge inference catalog accounts metering operator; do
  secret "nats-$user"
  eval "for_readers nats-$user \$$user \$$user"
  printf '%s_PASSWORD: "%s"\n' "$(echo $user | tr a-z A-Z)" "$(cat "nats-$user")" >>nats-passwords.conf
done
for_readers nats-passwords.conf $nats $nats
# Its users may open what is theirs; only root may list the rest.
chmod 0711 .

# Servers that do not run as root write into volumes of their own, which come into being as root's.
# Not empty, either: into an empty one Podman puts the folder of the server's image, and with it the image's owner.
[ ! -d /volumes/proxy ] || mkdir -p /volumes/proxy/data/caddy /volumes/proxy/config/caddy
for owner in proxy nats; do
  [ ! -d "/volumes/$owner" ] || eval "chown -R \$$owner:\$$owner /volumes/$owner/*"
done
