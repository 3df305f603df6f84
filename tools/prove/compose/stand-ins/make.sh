#!/bin/sh
# Makes the images that docker-compose.yml names and no registry gives, one after another: make.sh <image> …, with a folder for what is fetched in $STAND_INS.
# Needs root, debootstrap, npm, and Debian's and npm's registries.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
context=${STAND_INS:?a folder for what is fetched}
mkdir -p "$context"
cd "$context"

if ! docker image inspect tollgate-debian >/dev/null 2>&1; then
  debootstrap --variant=minbase --include=ca-certificates trixie "$context/debian" >"$context/debootstrap.log" 2>&1 ||
    { tail -20 "$context/debootstrap.log" >&2; exit 1; }
  tar -C "$context/debian" -c . | docker import - tollgate-debian >/dev/null
  rm -rf "$context/debian"
fi

fetch() {
  rm -rf package
  tar -xzf "$(npm pack --silent "$1")"
}
case $(uname -m) in aarch64) arch=arm64 ;; *) arch=x64 ;; esac
[ -e node ] || { fetch "node-linux-$arch@24" && mv package/bin/node node; }
[ -e npm ] || { fetch npm@11 && mv package npm; }
cp /etc/ssl/certs/ca-certificates.crt authorities.crt
cp "$here/start-postgres.sh" .

for image; do
  name=${image##*/}
  docker build -q -f "$here/Dockerfile" --target "${name%%:*}" -t "$image" .
done
