#!/bin/sh
# Keeps what has a way out of this installation (the network `outside`: inference, accounts, the proxy, the collector) from private networks, this machine and a cloud's metadata:
# sh deploy/firewall.sh, as root, after the first `docker compose up` and after each start of this machine. Given again, it makes the same rules anew. sh deploy/firewall.sh off takes them away.
# FIREWALL_ALLOW='10.0.3.7 192.168.4.0/24' lets through what a provider or a server of yours needs. IPv4 alone: the networks of docker-compose.yml have no other.
set -eu
iptables=${IPTABLES:-iptables}
chain=TOLLGATE-OUT
# Docker's chain for rules of others; where there is none (Podman) the one of all that is passed on.
passing=FORWARD
! $iptables -n -L DOCKER-USER >/dev/null 2>&1 || passing=DOCKER-USER

for from in "$passing" INPUT; do
  $iptables -S "$from" | sed -n "s/^-A \(.* -j $chain\)$/\1/p" | while read -r rule; do
    $iptables -D $rule </dev/null
  done
done
$iptables -F $chain 2>/dev/null || $iptables -N $chain
if [ "${1:-on}" = off ]; then
  $iptables -X $chain
  exit
fi

# Answers to those who came to the proxy.
$iptables -A $chain -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN
# Names are often told by a server of a private network.
for protocol in udp tcp; do
  $iptables -A $chain -p $protocol --dport 53 -j RETURN
done
for allowed in ${FIREWALL_ALLOW:-}; do
  $iptables -A $chain -d "$allowed" -j RETURN
done
for private in 10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16; do
  $iptables -A $chain -d $private -j REJECT
done
subnets=$(docker network inspect "${COMPOSE_PROJECT_NAME:-tollgate}_outside" | sed -n 's/^ *"[Ss]ubnet": "\([0-9./]*\)".*/\1/p')
for subnet in ${subnets:?of the network outside: docker compose up -d comes first}; do
  # Docker passes what these say to one another through no firewall, or through this one.
  $iptables -I "$passing" -s "$subnet" ! -d "$subnet" -j $chain
  # What this machine listens on, at whichever of its addresses.
  $iptables -I INPUT -s "$subnet" -j $chain
done
