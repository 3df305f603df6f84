#!/bin/sh
# Makes the images that docker-compose.yml names and no registry gives, one after another: make.sh <image> …, with a folder for what is fetched in $STAND_INS.
# Needs root, debootstrap, npm and Go, and the registries of the three.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
context=${STAND_INS:?a folder for what is fetched}
mkdir -p "$context"
cd "$context"

# Image and release of Debian.
debian() {
  ! docker image inspect "$1" >/dev/null 2>&1 || return 0
  debootstrap --variant=minbase --include=ca-certificates "$2" "$context/debian" >"$context/debootstrap.log" 2>&1 ||
    { tail -20 "$context/debootstrap.log" >&2; exit 1; }
  tar -C "$context/debian" -c . | docker import - "$1" >/dev/null
  rm -rf "$context/debian"
}
debian tollgate-debian trixie

fetch() {
  rm -rf package
  tar -xzf "$(npm pack --silent "$1")"
}
case $(uname -m) in aarch64) arch=arm64 ;; *) arch=x64 ;; esac
[ -e node ] || { fetch "node-linux-$arch@24" && mv package/bin/node node; }
[ -e npm ] || { fetch npm@11 && mv package npm; }
cp /etc/ssl/certs/ca-certificates.crt authorities.crt

# The newest Caddy of a minor version, by Go: Debian's is too old to ask another edge when one refuses the connection (docker-compose.yml).
build_caddy() {
  module=github.com/caddyserver/caddy/v2
  version=$(cd / && go list -m -versions $module | tr ' ' '\n' | grep "^v$1\.[0-9]*$" | tail -n 1)
  (cd / && CGO_ENABLED=0 GOBIN=$context go install $module/cmd/caddy@"$version")
}
# The newest collector by its own builder, with the parts that deploy/observability/collector.yaml names.
build_collector() {
  builder=go.opentelemetry.io/collector/cmd/builder
  version=$(cd / && go list -m -versions $builder | tr ' ' '\n' | grep '^v[0-9]*\.[0-9]*\.[0-9]*$' | tail -n 1)
  sed "s/VERSION/$version/" "$here/collector.yaml" >collector.yaml
  CGO_ENABLED=0 GOWORK=off go run $builder@"$version" --config collector.yaml >collector.log 2>&1 ||
    { tail -20 collector.log >&2; exit 1; }
  mv collector/otelcol otelcol
}
cp "$here/start-postgres.sh" .

for image; do
  name=${image##*/}
  case $name in
    # Each Debian has one Postgres.
    postgres:15) debian tollgate-bookworm bookworm; of='--build-arg POSTGRES=15 --build-arg POSTGRES_DEBIAN=bookworm' ;;
    caddy:*) of=; [ -e caddy ] || build_caddy "${name#*:}" ;;
    opentelemetry-collector:*) of=; [ -e otelcol ] || build_collector ;;
    *) of= ;;
  esac
  docker build -q $of -f "$here/Dockerfile" --target "${name%%:*}" -t "$image" .
done
