import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';
import { isAsPromised, judged } from './cluster/prove-cluster';
import type { Outcome } from './exchange';
import { proofs } from './proofs';

const read = (file: string) => readFileSync(join(workspaceRoot, file), 'utf8');
const names = proofs.map(({ name }) => name);

it('has each name once', () => {
  expect(new Set(names).size).toBe(names.length);
});

it.each(['README.md', 'SECURITY.md', 'docs/promises.md', 'docs/operate.md', 'tools/README.md'])(
  'knows every proof that %s names',
  (file) => {
    const named = [...read(file).matchAll(/npm run prove -- ([a-z]+)/g)].map(([, name = '']) => name);
    expect([...new Set(named)].filter((name) => name !== 'all' && !names.includes(name))).toEqual([]);
    expect(read(file)).not.toMatch(/prove:[a-z]/);
  },
);

it('stands at every promise that it says it proves', () => {
  const rows = read('docs/promises.md').split('\n');
  for (const { name, promises } of proofs)
    for (const number of promises) {
      const row = rows.find((line) => line.startsWith(`| ${number} `)) ?? '';
      expect({ number, row }).toEqual({ number, row: expect.stringContaining(name) });
    }
});

describe('the proof of the cluster', () => {
  const strike = { name: 'kill nats-1', isPlanned: false, play: async () => undefined };
  const outcome = (id: string, state: Outcome['state'], content = ''): Outcome => ({
    request: {
      id,
      kind: 'stream',
      surface: 'openai-chat',
      model: 'm',
      stream: true,
      prompt: '',
      abortAfterPieces: null,
      abortAfterMs: null,
    },
    state,
    content,
    reason: '',
    sentAt: 0,
    endedAt: 1,
  });

  it('judges what came after the last strike too', () => {
    const outcomes = [outcome('a', 'failed'), outcome('b', 'failed'), outcome('c', 'failed', 'cut')];
    const [first, last] = judged(
      [
        { strike, before: 1, startedAt: 0 },
        { strike, before: 2, startedAt: 0 },
      ],
      outcomes,
    );
    expect(first).toMatchObject({ answers: 1, cut: 0, failed: 1 });
    expect(last).toMatchObject({ answers: 1, cut: 1, failed: 0 });
  });

  it('does not hold where nobody asked anything during a strike', () => {
    expect(judged([{ strike, before: 0, startedAt: 0 }], []).map(isAsPromised)).toEqual([false]);
  });
});
