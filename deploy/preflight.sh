#!/bin/sh
# Says what this machine lacks for the installation of docker-compose.yml, a sentence each, and changes nothing: sh deploy/preflight.sh
# Ends with 1 when something is missing. Settings are looked at, too, once the images are there (the service `check`).
set -u
lacks=0
lack() {
  lacks=1
  echo "- $*" >&2
}
# Whether a version is at least another one: at_least 2.40.3 2.24
at_least() {
  printf '%s %s\n' "$1" "$2" | awk '{
    n = split($2, wanted, "."); split($1, found, ".")
    for (i = 1; i <= n; i++) if (found[i] + 0 != wanted[i] + 0) exit !(found[i] + 0 > wanted[i] + 0)
  }'
}

command -v docker >/dev/null || {
  echo "- There is no docker here: install Docker Engine 25 or newer with its Compose plugin (https://docs.docker.com/engine/install)." >&2
  exit 1
}
engine=$(docker version --format '{{.Server.Version}}' 2>&1) || {
  echo "- The Docker engine does not answer: $engine" >&2
  exit 1
}
# Health checks ask often only while a container starts, which engines know since 25: https://docs.docker.com/reference/compose-file/services/#healthcheck
at_least "$engine" 25 || lack "The engine is $engine: 25 or newer is needed, older ones refuse start_interval of the health checks."
# An env_file that need not be there is known since 2.24: https://docs.docker.com/reference/compose-file/services/#required
compose=$(docker compose version --short 2>/dev/null) || compose=
if [ -z "$compose" ]; then
  lack "docker has no Compose plugin: install docker-compose-plugin, 2.24 or newer."
elif ! at_least "${compose#v}" 2.24; then
  lack "Compose is $compose: 2.24 or newer is needed for docker-compose.yml."
fi

set -- $(docker info --format '{{.MemTotal}} {{.DockerRootDir}}' 2>/dev/null)
memory=$((${1:-0} / 1000000))
[ "$memory" -eq 0 ] || [ "$memory" -ge 1900 ] ||
  lack "The engine has $memory MB of memory: 2 GB are needed, 4 GB to build the images here; or set TOLLGATE_IMAGES to images that were built elsewhere."
# Only where the engine's folder is this machine's.
disk=
if [ -d "${2:-/nowhere}" ]; then
  disk=$(($(df -Pk "$2" | awk 'NR == 2 { print $4 }') / 1000000))
  [ "$disk" -ge 10 ] || lack "$2 has $disk GB free: 10 GB are needed for the images and a database that grows."
fi

if [ -n "$compose" ]; then
  if settings=$(docker compose config 2>&1); then
    # The ports are our own proxy's where it runs already.
    running=$(docker compose ps -q proxy 2>/dev/null)
    for port in $(printf '%s\n' "$settings" | sed -n 's/^ *published: "\{0,1\}\([0-9]*\)"\{0,1\}$/\1/p' | sort -nu); do
      [ -z "$running" ] || continue
      ! command -v ss >/dev/null || [ -z "$(ss -Hltn "sport = :$port")" ] ||
        lack "Port $port is taken by another program: end that one, or set another port (TOLLGATE_HTTP_PORT, TOLLGATE_HTTPS_PORT)."
    done
    image=$(printf '%s\n' "$settings" | sed -n 's/^ *image: \(.*tollgate-cli:.*\)$/\1/p' | head -n 1)
    if docker image inspect "$image" >/dev/null 2>&1; then
      faults=$(docker compose run --rm -T --no-deps check 2>&1) || lack "$faults"
    fi
  else
    lack "The settings cannot be read: $settings"
  fi
fi

[ $lacks -eq 0 ] || exit 1
echo "This machine has what Tollgate needs: engine $engine, Compose $compose, $memory MB of memory${disk:+, $disk GB of disk}."
