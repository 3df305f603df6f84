import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { workspaceRoot } from '../stack/workspace-root';
import { isAsPromised, judged, toldAsTwice, wasUnderWay } from './cluster/prove-cluster';
import { exchange } from './exchange';
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
    const named = [...read(file).matchAll(/npm run prove -- ([a-z]+(?:-[a-z]+)*)/g)].map(([, name = '']) => name);
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

it('tells how many raw answers the invoice has', () => {
  const file = 'libs/dialects/src/proof/__fixtures__/invoice.json';
  const { rows } = z.object({ rows: z.array(z.unknown()) }).parse(JSON.parse(read(file)));
  const told = `${rows.length} raw answers`;
  expect(proofs.find(({ name }) => name === 'invoice')?.proves).toContain(told);
  expect(read('docs/promises.md')).toContain(told);
});

describe('the proof of the cluster', () => {
  const strike = { name: 'kill nats-1', isPlanned: false, play: async () => [] };
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
    costs: [],
    sentAt: 0,
    endedAt: 1,
  });

  it('counts a stream that is reset after its first piece as cut', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = { choices: [{ index: 0, delta: { content: 'first' }, finish_reason: null }] };
      response.write(`data: ${JSON.stringify(piece)}\n\n`, () => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const seen = await exchange(`http://127.0.0.1:${port}`, 'key', outcome('a', 'failed').request);
    server.close();
    expect(seen).toMatchObject({ state: 'failed', content: 'first' });
    expect(judged([{ strike, before: 0, startedAt: 0, endedAt: 0, faults: [] }], [seen])).toMatchObject([
      { cut: 1, failed: 0 },
    ]);
  });

  it('knows by their ids the requests that inference tells of as asked twice', () => {
    const msg = 'a provider was asked for what another instance answers, and may bill both';
    const line = (requestId: string, said: string) =>
      JSON.stringify({ level: 40, requestId, usedTokens: 7, msg: said });
    const logs = [`${line('a', msg)}\n${line('b', 'attempt failed')}\nno JSON`, `${line('c', msg)}\n`];
    expect([...toldAsTwice(logs)]).toEqual(['a', 'c']);
  });

  it('judges what came after the last strike too', () => {
    const outcomes = [outcome('a', 'failed'), outcome('b', 'failed'), outcome('c', 'failed', 'cut')];
    const [first, last] = judged(
      [
        { strike, before: 1, startedAt: 0, endedAt: 0, faults: [] },
        { strike, before: 2, startedAt: 0, endedAt: 0, faults: [] },
      ],
      outcomes,
    );
    expect(first).toMatchObject({ answers: 1, cut: 0, failed: 1 });
    expect(last).toMatchObject({ answers: 1, cut: 1, failed: 0 });
  });

  it('lets what takes all cut answers, and counts from its end how soon all is good again', () => {
    const sentAt = (at: number) => ({ ...outcome('a', 'failed', 'cut'), sentAt: at });
    const lost = { ...strike, isPlanned: false, takesAll: true };
    const holds = (at: number, takesAll: boolean) =>
      judged(
        [{ strike: { ...lost, takesAll }, before: 0, startedAt: 1_000, endedAt: 9_000, faults: [] }],
        [sentAt(at)],
      ).map(isAsPromised);
    expect(holds(11_000, true)).toEqual([true]);
    expect(holds(11_001, true)).toEqual([false]);
    expect(holds(2_000, false)).toEqual([false]);
  });

  it('does not hold where a strike itself found something wrong', () => {
    const played = { strike, before: 0, startedAt: 0, endedAt: 0, faults: ['a committed event is gone'] };
    expect(judged([played], [outcome('a', 'complete', 'whole')]).map(isAsPromised)).toEqual([false]);
  });

  it('does not hold where a caller was left without a word', () => {
    const played = { strike, before: 0, startedAt: 0, endedAt: 0, faults: [] };
    const [seen] = judged([played], [outcome('a', 'silent'), outcome('b', 'failed')]);
    expect(seen).toMatchObject({ failed: 2, silent: 1 });
    expect(seen && isAsPromised(seen)).toBe(false);
  });

  it('allows for a request alone that was under way as something broke to be answered twice', () => {
    const played = { strike, before: 0, startedAt: 10_000, endedAt: 15_000, faults: [] };
    const sent = (sentAt: number, endedAt: number) => ({ ...outcome('a', 'complete', 'whole'), sentAt, endedAt });
    const planned = { ...played, strike: { ...strike, isPlanned: true } };
    expect(wasUnderWay(sent(9_000, 10_000), [played])).toBe(true);
    expect(wasUnderWay(sent(11_250, 12_000), [planned, played])).toBe(true);
    expect(wasUnderWay(sent(9_000, 9_999), [played])).toBe(false);
    expect(wasUnderWay(sent(11_251, 14_000), [played])).toBe(false);
    expect(wasUnderWay(sent(9_000, 11_000), [planned])).toBe(false);
  });

  it('does not hold where nobody asked anything during a strike', () => {
    expect(judged([{ strike, before: 0, startedAt: 0, endedAt: 0, faults: [] }], []).map(isAsPromised)).toEqual([
      false,
    ]);
  });
});
