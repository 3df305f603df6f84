import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'firewall-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** As Docker tells it, shortened. */
const network = `[
    {
        "Name": "tollgate_outside",
        "IPAM": {
            "Config": [
                {
                    "Subnet": "172.20.0.0/16",
                    "Gateway": "172.20.0.1"
                }
            ]
        }
    }
]`;

/** What deploy/firewall.sh asks of iptables on a machine with Docker, whose chains hold these rules already. */
function asked(argument: string, { there = [] as string[], allow = '' } = {}): string[] {
  const log = join(folder, 'asked');
  rmSync(log, { force: true });
  const program = (name: string, lines: string[]): void => {
    writeFileSync(join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'));
    chmodSync(join(folder, name), 0o755);
  };
  program('docker', [`[ "$*" = 'network inspect tollgate_outside' ] && cat <<'END'\n${network}\nEND`]);
  program('iptables', [
    `echo "$*" >>${log}`,
    'case "$*" in',
    ...there.map((rule) => `'-S ${rule.split(' ')[1]}') echo '${rule}' ;;`),
    'esac',
  ]);
  execFileSync('/bin/sh', [join(workspaceRoot, 'deploy/firewall.sh'), argument], {
    env: { PATH: `${folder}:${process.env.PATH}`, FIREWALL_ALLOW: allow },
  });
  return readFileSync(log, 'utf8').trim().split('\n');
}

it('refuses private networks to what has a way out, after answers, names and what is allowed', () => {
  const rules = asked('on', { allow: '10.0.3.7' }).filter((rule) => /^-[AI]/.test(rule));
  const private4 = ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
  expect(rules).toEqual([
    '-A TOLLGATE-OUT -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN',
    ...['udp', 'tcp'].map((protocol) => `-A TOLLGATE-OUT -p ${protocol} --dport 53 -j RETURN`),
    '-A TOLLGATE-OUT -d 10.0.3.7 -j RETURN',
    ...private4.map((one) => `-A TOLLGATE-OUT -d ${one} -j REJECT`),
    '-I DOCKER-USER -s 172.20.0.0/16 ! -d 172.20.0.0/16 -j TOLLGATE-OUT',
    '-I INPUT -s 172.20.0.0/16 -j TOLLGATE-OUT',
  ]);
});

it('takes away what it made, and nothing else, before it makes it anew and when it is told to', () => {
  const there = ['-A INPUT -s 172.20.0.0/16 -j TOLLGATE-OUT', '-A DOCKER-USER -j RETURN'];
  for (const argument of ['on', 'off']) {
    const removed = asked(argument, { there }).filter((rule) => rule.startsWith('-D'));
    expect([argument, removed]).toEqual([argument, ['-D INPUT -s 172.20.0.0/16 -j TOLLGATE-OUT']]);
  }
  expect(asked('off').at(-1)).toBe('-X TOLLGATE-OUT');
});
