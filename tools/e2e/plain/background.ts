import { ledgerOperations } from '@tollgate/contracts/metering';
import { eventually } from '@tollgate/testing';
import { randomUUID } from 'node:crypto';
import type OpenAI from 'openai';
import type { TestStack } from '../test-stack';
import { accountClient } from './account-client';

/** Of three dialects of providers: the first speaks responses itself. */
const models = ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-4-5', 'google/gemini-3.8-flash'];

let test: TestStack;
let openai: OpenAI;
let stranger: OpenAI;

export function backgroundResponses(shared: () => TestStack): void {
  beforeAll(async () => {
    test = shared();
    openai = await accountClient(test, 'background');
    stranger = await accountClient(test, 'background-stranger');
  });

  /** Asks in the background, as the request of this id. */
  async function begin(model: string, input: string) {
    const requestId = randomUUID();
    const headers = { 'x-request-id': requestId };
    const begun = await openai.responses.create({ model, input, background: true }, { headers });
    expect(begun).toMatchObject({ status: 'queued', background: true, store: true, output: [] });
    return { requestId, id: begun.id };
  }

  /** The usage events of a request, once there are any. */
  async function eventsOf(id: string) {
    const found = await eventually(
      () => test.stack.call(ledgerOperations.explain, { id }).catch(() => null),
      (reply) => reply !== null,
      10_000,
    );
    return found?.events.map(({ event }) => event);
  }

  it.each(models)('%s answers while nobody waits, is billed once, and is gone on from', async (model) => {
    const { id, requestId } = await begin(model, 'The word is heliotrope. [[sandbox: first_ms=300]]');
    const response = await eventually(
      () => openai.responses.retrieve(id),
      ({ status }) => status !== 'queued' && status !== 'in_progress',
      20_000,
    );
    expect(response).toMatchObject({ id, status: 'completed', background: true, store: true });
    expect(response.output_text).not.toBe('');
    const events = await eventsOf(requestId);
    expect(events).toMatchObject([
      {
        state: 'completed',
        usage: { input: response.usage?.input_tokens ?? -1, output: response.usage?.output_tokens ?? -1 },
      },
    ]);
    const next = await openai.responses.create({ model, previous_response_id: id, input: 'And?' });
    expect(next.usage?.input_tokens).toBeGreaterThan(response.usage?.input_tokens ?? Infinity);
    await openai.responses.delete(id);
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it.each(models)(
    '%s stops at once where its response is cancelled, and is billed for what there was',
    async (model) => {
      const { id, requestId } = await begin(model, 'Cancel me. [[sandbox: tokens=40 first_ms=30000]]');
      await eventually(
        () => test.provider.ledger(requestId),
        (rows) => rows.length === 1,
        10_000,
      );
      await expect(stranger.responses.cancel(id)).rejects.toMatchObject({ status: 404 });
      await expect(stranger.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
      expect(await openai.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
      const [row] = await eventually(
        () => test.provider.ledger(requestId),
        ([found]) => typeof found?.closedByPeerAt === 'number',
        10_000,
      );
      expect(row).toMatchObject({ state: 'cut', outputTokens: 0 });
      const events = await eventsOf(requestId);
      expect(events).toMatchObject([{ state: 'cancelled', usage: { output: 0 } }]);
      expect(await openai.responses.retrieve(id)).toMatchObject({ id, status: 'cancelled', output: [] });
    },
  );
}
