import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'firewall-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** As Docker tells it, shortened. */
const told = (isInternal: boolean, subnet: string) => `[
    {
        "IPAM": {
            "Config": [
                {
                    "Subnet": "${subnet}",
                    "Gateway": "172.20.0.1"
                }
            ]
        },
        "Internal": ${isInternal},
        "Ingress": false
    }
]`;
/** Those of an installation with an overlay, which adds a way out to a service that had none. */
const networks = [
  ['inside', told(true, '172.19.0.0/16')],
  ['outside', told(false, '172.20.0.0/16')],
  ['servers', told(false, '172.21.0.0/16')],
] as const;

function program(name: string, lines: string[]): void {
  writeFileSync(join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(join(folder, name), 0o755);
}

/** Docker and Compose, which knows from .env how the installation is called. */
function withDocker(): void {
  program('docker', [
    'case "$*" in',
    `'compose config') printf 'name: mine\\nservices:\\n  x:\\n    name: other\\n' ;;`,
    `'network ls -q --filter label=com.docker.compose.project=mine') echo '${networks.map(([name]) => name).join(' ')}' ;;`,
    ...networks.map(([name, text]) => `'network inspect ${name}') cat <<'END'\n${text}\nEND\n;;`),
    '*) exit 1 ;;',
    'esac',
  ]);
}

const script = join(workspaceRoot, 'deploy/firewall.sh');
const path = () => `${folder}:${process.env.PATH}`;

/** What deploy/firewall.sh has iptables do on a machine with Docker, whose chains hold these rules already. */
function asked(argument: string, { there = [] as string[], allow = '' } = {}): string[] {
  withDocker();
  program('iptables', [
    'case "$*" in',
    `'-n -L DOCKER-USER') ;;`,
    '-S)',
    ...there.map((rule) => `echo '${rule}'`),
    ';;',
    // Only one commit of iptables-restore changes anything.
    '*) exit 1 ;;',
    'esac',
  ]);
  program('iptables-restore', [`[ "$*" = --noflush ] && cat >${folder}/asked`]);
  execFileSync('/bin/sh', [script, argument], { env: { PATH: path(), FIREWALL_ALLOW: allow } });
  return readFileSync(join(folder, 'asked'), 'utf8').split('\n').filter(Boolean);
}

it('refuses private networks and the machine to what has a way out, after answers, names and what is allowed', () => {
  const private4 = ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
  expect(asked('on', { allow: '10.0.3.7' })).toEqual([
    '*filter',
    ':TOLLGATE-OUT - [0:0]',
    '-A TOLLGATE-OUT -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN',
    ...['udp', 'tcp'].map((protocol) => `-A TOLLGATE-OUT -p ${protocol} --dport 53 -j RETURN`),
    '-A TOLLGATE-OUT -d 10.0.3.7 -j RETURN',
    ...private4.map((one) => `-A TOLLGATE-OUT -d ${one} -j REJECT`),
    '-A TOLLGATE-OUT -m addrtype --dst-type LOCAL -j REJECT',
    ...['172.20.0.0/16', '172.21.0.0/16'].flatMap((subnet) => [
      `-I DOCKER-USER -s ${subnet} ! -d ${subnet} -j TOLLGATE-OUT`,
      `-I INPUT -s ${subnet} -j TOLLGATE-OUT`,
    ]),
    'COMMIT',
  ]);
});

it('takes away what it made, and nothing else, before it makes it anew and when it is told to', () => {
  const there = ['INPUT', 'FORWARD'].map((from) => `-A ${from} -s 172.20.0.0/16 -j TOLLGATE-OUT`);
  for (const argument of ['on', 'off']) {
    const removed = asked(argument, { there: [...there, '-A DOCKER-USER -j RETURN'] }).filter((rule) =>
      rule.startsWith('-D'),
    );
    expect([argument, removed]).toEqual([argument, there.map((rule) => rule.replace('-A', '-D'))]);
  }
  expect(asked('off').slice(-2)).toEqual(['-X TOLLGATE-OUT', 'COMMIT']);
});

/** What lines of a shell print in a network of its own, whose machine is also at a public address. */
function inNetwork(lines: string[]): string[] {
  const setUp = ['ip link set lo up', 'ip addr add 203.0.113.9/32 dev lo', 'ip addr add 172.20.0.2/16 dev lo'];
  const { stdout } = spawnSync('unshare', ['-rn', 'sh', '-ec', [...setUp, ...lines].join('\n')], {
    env: { ...process.env, PATH: path() },
    encoding: 'utf8',
  });
  return stdout.split('\n').filter(Boolean);
}

/** From an address of the network outside to a public one of the machine. */
const connects = `node -e '
  const server = require("node:net").createServer().listen(0, "203.0.113.9", () => {
    const to = { host: "203.0.113.9", port: server.address().port, localAddress: "172.20.0.2" };
    const socket = require("node:net").connect(to);
    for (const event of ["connect", "error"]) socket.once(event, () => { console.log(event); process.exit(); });
  });'`;
/** Whether this machine lets its user make a network, with what the rules need of its kernel. */
const rule = 'iptables -A INPUT -m conntrack --ctstate NEW -m addrtype --dst-type LOCAL -j REJECT';
const hasNetworks = spawnSync('unshare', ['-rn', 'sh', '-ec', `ip link set lo up; ${rule}`]).status === 0;

(hasNetworks ? it : it.skip)(
  'lets nothing reach the machine, and keeps its rules where it cannot make them anew',
  () => {
    withDocker();
    const rules = 'iptables -S | grep -c TOLLGATE-OUT || true';
    const fence = (before = '') => `${before} sh ${script} 2>/dev/null && echo made || echo failed`;
    const printed = inNetwork([
      ...[connects, fence(), rules, connects],
      ...[fence(), rules],
      ...[fence('FIREWALL_ALLOW=10.0.3.seven'), rules, connects],
      ...[`printf '#!/bin/sh\nexit 1\n' >${folder}/docker`, fence(), rules, connects],
      ...[`sh ${script} off`, rules, connects, `sh ${script} off`, rules],
    ]);
    expect(printed).toEqual([
      ...['connect', 'made', '14', 'error'],
      ...['made', '14'],
      ...['failed', '14', 'error'],
      ...['failed', '14', 'error'],
      ...['0', 'connect', '0'],
    ]);
  },
);
