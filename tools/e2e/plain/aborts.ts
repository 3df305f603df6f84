import { eventually, patience } from '@tollgate/testing';
import { randomUUID } from 'node:crypto';
import { exchange } from '../../prove/exchange';
import type { TestStack } from '../test-stack';

const model = 'openai/gpt-5.4-mini';
let test: TestStack;
let apiKey: string;
/** How many rows the provider's books had before. */
let booked: number;

export function aborts(shared: () => TestStack): void {
  beforeAll(async () => {
    test = shared();
    booked = (await test.provider.ledger()).length;
    apiKey = (await test.stack.createKey({ name: 'aborts', plan: 'enterprise', rpm: null, quotaTokens: null })).apiKey;
  });

  /** The time from the caller's leaving to the provider's socket closing, and what the provider booked. */
  async function closing(id: string, leftAt: number) {
    const rows = await eventually(
      () => test.provider.ledger(id),
      ([row]) => typeof row?.closedByPeerAt === 'number',
      5_000,
    );
    const [row] = rows;
    return { row, closedAfterMs: (row?.closedByPeerAt ?? Infinity) - leftAt };
  }

  it.each([1, 10, 39])(
    'closes the provider within a second when the caller leaves at chunk %i of a stream',
    async (pieces) => {
      const id = randomUUID();
      const outcome = await exchange(`${test.stack.baseUrl}/v1/chat/completions`, apiKey, {
        ...{ id, kind: 'stream-abort', surface: 'openai-chat', model, stream: true },
        prompt: `Leaving at ${pieces}. [[sandbox: tokens=40 fault=stall at=${pieces}]]`,
        abortAfterPieces: pieces,
        abortAfterMs: null,
      });
      expect(outcome.state).toBe('left');
      const { row, closedAfterMs } = await closing(id, Date.now());
      expect(closedAfterMs).toBeLessThan(1_000 * patience);
      expect(row).toMatchObject({ state: 'cut', outputTokens: pieces });
    },
  );

  it('closes the provider within a second when the caller leaves while it waits for a plain answer', async () => {
    const id = randomUUID();
    const content = 'Leaving early. [[sandbox: tokens=40 first_ms=60000]]';
    const caller = new AbortController();
    const asked = fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-request-id': id },
      body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
      signal: caller.signal,
    });
    const isLeft = expect(asked).rejects.toThrow('aborted');
    await eventually(
      () => test.provider.ledger(id),
      (rows) => rows.length === 1,
      10_000,
    );
    const leftAt = Date.now();
    caller.abort();
    await isLeft;
    const { row, closedAfterMs } = await closing(id, leftAt);
    expect(closedAfterMs).toBeLessThan(1_000 * patience);
    expect(row).toMatchObject({ state: 'cut', outputTokens: 0 });
  });

  it('bills what was produced for those who left, and nothing more', async () => {
    const rows = (await test.provider.ledger()).slice(booked);
    const total = (field: 'inputTokens' | 'outputTokens') => rows.reduce((sum, row) => sum + row[field], 0);
    const used = async () => {
      const response = await fetch(`${test.stack.baseUrl}/v1/usage`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      return ((await response.json()) as { used: number }).used;
    };
    const expected = total('inputTokens') + total('outputTokens');
    expect(await eventually(used, (value) => value === expected, 3_000)).toBe(expected);
  });
}
