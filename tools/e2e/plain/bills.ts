import { billOperations, invoiceOperations, ledgerOperations } from '@tollgate/contracts/metering';
import type { DriftLine, DriftRequest } from '@tollgate/contracts/metering';
import { eventually } from '@tollgate/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestStack } from '../test-stack';
import { runTollgate } from './cli';

/** Nothing else in these tests asks for them. */
const models = { openai: 'openai/gpt-5.2', anthropic: 'anthropic/claude-opus-5-5' } as const;
const vectors = 'openai/text-embedding-3-large';
const dayMs = 86_400_000;
type Provider = keyof typeof models;
const run = `bill-${Date.now().toString(36)}`;
/** Pico-dollars of a token of output: $14 and $20 a million. */
const outputPicos = { openai: 14_000_000n, anthropic: 20_000_000n };

export function bills(shared: () => TestStack): void {
  let test: TestStack;
  let day: string;
  const ids = ['plain', 'stream', 'dear', 'lost'].map((name) => `${run}-${name}`);
  const [plain = '', , dear = '', lost = ''] = ids;

  const plant = async (planted: object) => {
    const answer = await fetch(`${test.stack.sandboxUrl}/control/bills`, {
      method: 'POST',
      body: JSON.stringify(planted),
    });
    expect(answer.status).toBe(204);
  };
  /** The lines of our model, once both sides are there. */
  const linesOf = async (provider: Provider, wanted: string = models[provider]): Promise<DriftLine[]> => {
    const { lines } = await eventually(
      () => test.stack.call(invoiceOperations.drift, { from: day, to: day, provider }),
      (reply) => reply.bills.length > 0 && reply.bills.every(({ ratedAt }) => ratedAt !== null),
      30_000,
    );
    return lines.filter(({ model }) => model === wanted);
  };
  const read = async (provider: Provider): Promise<DriftLine[]> => {
    const reply = await test.stack.call(billOperations.read, { day, provider });
    expect(reply.bills).toEqual([{ provider, problem: null }]);
    return linesOf(provider);
  };
  const behind = (provider: Provider, kind: string): Promise<{ requests: DriftRequest[]; count: number }> =>
    test.stack.call(invoiceOperations.requests, { provider, day, model: models[provider], kind });
  const driftOf = (lines: readonly DriftLine[], kind: string): string | undefined =>
    lines.find((line) => line.kind === kind)?.driftPicoUsd;

  beforeAll(async () => {
    test = shared();
    // All of it is of one day.
    const dayEndsInMs = dayMs - (Date.now() % dayMs);
    if (dayEndsInMs < 120_000) await sleep(dayEndsInMs);
    const { apiKey } = await test.stack.createKey({ name: 'bills', plan: 'pro' });
    for (const [provider, model] of Object.entries(models))
      for (const [at, id] of ids.entries()) {
        const tier = provider === 'openai' && at === 2 ? { service_tier: 'priority' } : {};
        const body = { model, stream: at === 1, messages: [{ role: 'user', content: `Hello ${at}` }], ...tier };
        const answer = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${apiKey}`,
            'content-type': 'application/json',
            'x-request-id': `${id}-${provider}`,
          },
          body: JSON.stringify(body),
        });
        expect(answer.status).toBe(200);
        await answer.text();
      }
    day = new Date().toISOString().slice(0, 10);
    const isStored = (id: string) =>
      test.stack.call(ledgerOperations.explain, { id }).then(
        () => true,
        () => false,
      );
    for (const provider of Object.keys(models))
      for (const id of ids) await eventually(() => isStored(`${id}-${provider}`), 10_000);
  }, 300_000);
  afterAll(() => plant({}));

  it.each<Provider>(['openai', 'anthropic'])(
    'are what our prices make of the same requests, at %s',
    async (provider) => {
      const lines = await read(provider);
      expect(
        lines.map(({ kind, driftPicoUsd, requests, unpriced }) => ({ kind, driftPicoUsd, requests, unpriced })),
      ).toEqual(['input', 'output'].map((kind) => ({ kind, driftPicoUsd: '0', requests: 4, unpriced: 0 })));
      for (const { billedPicoUsd, billedQuantity, ratedQuantity } of lines) {
        expect(BigInt(billedPicoUsd ?? 0)).toBeGreaterThan(0n);
        expect(billedQuantity).toBe(ratedQuantity);
      }
    },
  );

  it('have embeddings, of which all is input, and what they bill otherwise', async () => {
    const { apiKey } = await test.stack.createKey({ name: 'bills of vectors', plan: 'pro' });
    const id = `${run}-vectors`;
    const answer = await fetch(`${test.stack.baseUrl}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-request-id': id },
      body: JSON.stringify({ model: vectors, input: ['a river', 'a hill'] }),
    });
    const { usage } = (await answer.json()) as { usage: { prompt_tokens: number } };
    const isStored = () => test.stack.call(ledgerOperations.explain, { id }).then(Boolean, () => false);
    await eventually(isStored, (isThere) => isThere, 10_000);
    await plant({});
    await read('openai');
    const [line, ...more] = await linesOf('openai', vectors);
    expect(more).toEqual([]);
    expect(line).toMatchObject({ kind: 'input', driftPicoUsd: '0', unpriced: 0 });
    expect(line?.billedQuantity).toBe(line?.ratedQuantity);
    // Other tests of this stack may have asked for vectors, too.
    expect(line?.ratedQuantity).toBeGreaterThanOrEqual(usage.prompt_tokens);
    await plant({ amounts: [{ model: 'text-embedding-3-large', day, kind: 'input', picoUsd: '123' }] });
    await read('openai');
    expect(await linesOf('openai', vectors)).toMatchObject([{ kind: 'input', driftPicoUsd: '123' }]);
  });

  it.each<Provider>(['openai', 'anthropic'])(
    'show what %s bills otherwise, and the minutes that it is in',
    async (provider) => {
      await plant({
        more: [{ requestId: `${plain}-${provider}`, output: 7 }],
        amounts: [{ model: models[provider].split('/')[1], day, kind: 'input', picoUsd: '10000000000' }],
      });
      const lines = await read(provider);
      expect(driftOf(lines, 'output')).toBe((7n * outputPicos[provider]).toString());
      // A cent that is in no request: the tokens agree, so that all of the line stand behind it.
      expect(driftOf(lines, 'input')).toBe('10000000000');
      const { requests } = await behind(provider, 'output');
      expect(requests).toContainEqual(expect.objectContaining({ requestId: `${plain}-${provider}`, reason: 'minute' }));
      expect((await behind(provider, 'input')).requests.map(({ reason }) => reason)).toEqual(Array(4).fill('line'));
    },
  );

  it('name every request behind every cent where an imported invoice tells them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-invoice-'));
    await plant({
      more: [{ requestId: `${dear}-openai`, output: 3 }],
      missing: [`${lost}-openai`],
      strangers: [{ model: 'gpt-5.2', at: Date.parse(`${day}T00:00:01Z`), input: 0, output: 11 }],
    });
    try {
      const file = join(folder, 'november.csv');
      const answer = await fetch(`${test.stack.sandboxUrl}/control/invoice.csv?seller=openai&day=${day}`);
      writeFileSync(file, await answer.text());
      expect(await runTollgate(test, 'invoices', 'import', file, '--provider', 'openai')).toContain(day);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const lines = await linesOf('openai');
    const { requests } = await behind('openai', 'output');
    const named = Object.fromEntries(
      requests.map((each) => [each.requestId, BigInt(each.billedPicoUsd ?? 0) - BigInt(each.ratedPicoUsd ?? 0)]),
    );
    expect(
      requests
        .map(({ requestId, reason }) => [requestId, reason] as const)
        .sort(([one], [other]) => one.localeCompare(other)),
    ).toEqual([
      [`${dear}-openai`, 'amount'],
      [`${lost}-openai`, 'not-billed'],
      [expect.stringMatching(/^stranger-/) as string, 'unknown-here'],
    ]);
    // It was served at priority, which costs twice as much.
    expect(named[`${dear}-openai`]).toBe(3n * outputPicos.openai * 2n);
    const sum = Object.values(named).reduce((total, drift) => total + drift, 0n);
    expect(driftOf(lines, 'output')).toBe(sum.toString());
    const told = await runTollgate(test, 'invoices', 'requests', 'openai', day, models.openai, 'output');
    expect(told).toContain(`${lost}-openai`);
    const refused = runTollgate(test, 'reconcile', '--from', day, '--provider', 'openai', '--tolerance', '0');
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('gpt-5.2') as string,
      stderr: expect.stringContaining('differ from the ledger') as string,
    });
  });
}
