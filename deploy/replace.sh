#!/bin/sh
# Replaces every instance of a service by a new one of the image that was built last, without a gap: the new ones start beside the old ones,
# and the old ones finish what runs. sh deploy/replace.sh inference, or with another number of new ones: sh deploy/replace.sh edge 3
set -eu
service=${1:?edge, inference, accounts, catalog or metering}
old=$(docker compose ps -q "$service")
[ -n "$old" ] || { echo "$service does not run: docker compose up -d --wait $service" >&2; exit 1; }
count=$(echo "$old" | wc -l)
docker compose up -d --no-deps --no-recreate --scale "$service=$((count + ${2:-$count}))" "$service"
# The new ones alone must be healthy (`up --wait` asks for all): an old one may be ill, which is a reason to replace it.
patience=180
for id in $(docker compose ps -a -q "$service"); do
  case $old in *"$id"*) continue ;; esac
  while :; do
    state=$(docker inspect -f '{{.State.Status}} {{.State.Health.Status}}' "$id" 2>/dev/null) || state='not to be inspected'
    [ "$state" != 'running healthy' ] || break
    case $state in *' unhealthy' | exited* | dead* | not*) patience=0 ;; esac
    [ $patience -gt 0 ] || { echo "The new container $id of $service is $state: docker logs $id. The old ones serve on." >&2; exit 1; }
    patience=$((patience - 1))
    sleep 1
  done
done
# Longer than the two minutes that an instance may take to finish. $old is a list of ids: one word each.
docker stop -t 130 $old
docker rm $old
