import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTollgateFile } from '@tollgate/configuration';
import { errorReasons } from '@tollgate/contracts';
import { serverNames } from '@tollgate/contracts/catalog';
import { serverPresets } from '@tollgate/providers';
import { workspaceRoot } from '../../stack/workspace-root';
import { cellsIn } from '../write-page';
import { parse } from 'yaml';
import { z } from 'zod';

const page = readFileSync(join(workspaceRoot, 'docs/servers.md'), 'utf8');
const section = (name: string) => page.split(/^## /m).find((each) => each.startsWith(`${name}\n`)) ?? '';
const formats: Record<string, string> = { 'anthropic-messages': 'messages', 'openai-responses': 'responses' };

it('tells of each preset what it brings', () => {
  const [, , ...rows] = cellsIn(section('Presets'));
  const told = rows.map(([preset, , address, native, source = '']) => ({
    preset,
    address,
    native,
    source: /\((.*)\)$/.exec(source)?.[1],
  }));
  expect(told).toEqual(
    serverNames.map((name) => {
      const { baseUrl, alsoSpeaks, documentation } = serverPresets[name];
      const native = ['chat', ...alsoSpeaks.map((dialect) => formats[dialect])].join(', ');
      return { preset: `\`${name}\``, address: baseUrl, native, source: documentation };
    }),
  );
});

it('lists every reason that programs act on, with its statuses and what can be done', () => {
  const [, , ...rows] = cellsIn(section('Reasons that programs act on'));
  const told = rows.filter(([name = '']) => name.startsWith('`'));
  expect(told).toEqual(
    Object.entries(errorReasons).map(([reason, { statuses, act }]) => [`\`${reason}\``, statuses.join(', '), act]),
  );
});

describe('its examples of tollgate.yaml', () => {
  const blocks = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text);
  const examples = blocks.filter((text) => /^(?:providers|models):/m.test(text));

  it('are looked at', () => expect(examples.length).toBeGreaterThan(4));

  it.each(examples)('can be read: %s', (text) => {
    expect(() => parseTollgateFile('tollgate.yaml', text)).not.toThrow();
  });

  it('have one of each preset, none of them at our own port', () => {
    const [, text = ''] = /```yaml\n([^]*?)```/.exec(section('An example for each')) ?? [];
    const { providers } = parseTollgateFile('tollgate.yaml', text);
    expect(providers.map(({ preset }) => preset)).toEqual([...serverNames]);
    const addresses = providers.map(({ preset, baseUrl }) => baseUrl ?? (preset ? serverPresets[preset].baseUrl : ''));
    expect(addresses.filter((address) => /:8080(?:\/|$)/.test(address))).toEqual([]);
  });
});

describe('its examples of where a server is', () => {
  const [compose, policy] = [...section('Where the server is').matchAll(/```yaml\n([^]*?)```/g)].map(
    ([, text = '']): unknown => parse(text.replaceAll(/^ {2}/gm, '')),
  );
  const labels = z.object({
    spec: z.object({ podSelector: z.object({ matchLabels: z.record(z.string(), z.string()) }) }),
  });

  it('give the name of the host to the service that asks', () => {
    const { services } = z
      .object({ services: z.record(z.string(), z.object({ extra_hosts: z.array(z.string()) })) })
      .parse(compose);
    expect(services).toEqual({ inference: { extra_hosts: ['host.docker.internal:host-gateway'] } });
    const stack: unknown = parse(readFileSync(join(workspaceRoot, 'docker-compose.yml'), 'utf8'), { merge: true });
    expect(Object.keys(z.object({ services: z.record(z.string(), z.unknown()) }).parse(stack).services)).toContain(
      'inference',
    );
  });

  it('let out the pods that our own policy of inference holds', () => {
    const base = readFileSync(join(workspaceRoot, 'deploy/kubernetes/base/inference.yaml'), 'utf8');
    const { matchLabels } = labels.parse(policy).spec.podSelector;
    const text = Object.entries(matchLabels).map(([name, value]) => `${name}: ${value}`);
    expect(base).toContain(`labels: { ${text.join(', ')} }`);
  });
});
