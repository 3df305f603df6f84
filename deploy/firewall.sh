#!/bin/sh
# Keeps what has a way out of this installation (inference, accounts, the proxy, the collector, and what an overlay gives one) from private networks, this machine and a cloud's metadata:
# sh deploy/firewall.sh, as root, after the first `docker compose up` and after each start of this machine. Given again, it makes the same rules anew. sh deploy/firewall.sh off takes them away.
# FIREWALL_ALLOW='10.0.3.7 192.168.4.0/24' lets through what a provider or a server of yours needs. IPv4 alone: the networks of docker-compose.yml have no other.
# All of it is one commit of iptables-restore: whatever fails (a typo in FIREWALL_ALLOW, a Docker that is away), the rules that were there stay.
set -eu
cd "$(dirname "$0")/.."
iptables=${IPTABLES:-iptables}
chain=TOLLGATE-OUT
# Docker's chain for rules of others; where there is none (Podman) the one of all that is passed on.
passing=FORWARD
! $iptables -n -L DOCKER-USER >/dev/null 2>&1 || passing=DOCKER-USER

there=$($iptables -S)
# What it made before goes; the chain is there then, and empty.
rules="*filter
:$chain - [0:0]
$(printf '%s\n' "$there" | sed -n "s/^-A \(.* -j $chain\)$/-D \1/p")"
rule() {
  rules="$rules
$*"
}
if [ "${1:-on}" = off ]; then
  rule -X $chain
else
  # Answers to those who came to the proxy.
  rule -A $chain -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN
  # Names are often told by a server of a private network.
  for protocol in udp tcp; do
    rule -A $chain -p $protocol --dport 53 -j RETURN
  done
  for allowed in ${FIREWALL_ALLOW:-}; do
    rule -A $chain -d "$allowed" -j RETURN
  done
  for private in 10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16; do
    rule -A $chain -d $private -j REJECT
  done
  # What this machine listens on, at whichever of its addresses.
  rule -A $chain -m addrtype --dst-type LOCAL -j REJECT
  # Compose knows its name from .env, too.
  project=$(docker compose config | sed -n 's/^name: //p')
  subnets=
  # Every network with a way out, those of overlays, too; one that an overlay declares external has no label of the
  # project and is passed over.
  for network in $(docker network ls -q --filter "label=com.docker.compose.project=$project"); do
    told=$(docker network inspect "$network")
    case $told in *'nternal": true'*) continue ;; esac
    subnet=$(printf '%s\n' "$told" | sed -n 's/^ *"[Ss]ubnet": "\([0-9./]*\)".*/\1/p')
    subnets="$subnets ${subnet:?of the network $network is not told}"
  done
  for subnet in ${subnets:?of networks with a way out: docker compose up -d comes first}; do
    # Docker passes what these say to one another through no firewall, or through this one.
    rule -I "$passing" -s "$subnet" ! -d "$subnet" -j $chain
    rule -I INPUT -s "$subnet" -j $chain
  done
fi
rule COMMIT
printf '%s\n' "$rules" | $iptables-restore --noflush
