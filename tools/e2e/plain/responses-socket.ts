import { accountsOperations } from '@tollgate/contracts/accounts';
import { ledgerOperations } from '@tollgate/contracts/metering';
import { eventually } from '@tollgate/testing';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import type { TestStack } from '../test-stack';

type Turn = Omit<OpenAI.Responses.ResponseCreateParamsStreaming, 'stream'>;
/** What is said on a connection: events of a response, those with its headers, and faults. */
type Told = Record<string, unknown> & { type: string };

const ends = ({ type }: Told) => type === 'response.completed' || type === 'error';
/** Those of a provider of responses, and of one whose dialect they are translated to. */
const models = ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-4-5'];
const tools: OpenAI.Responses.Tool[] = [
  {
    type: 'function',
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    strict: false,
  },
];

/** The official client's connection, and all that was said on it. */
export class SpokenResponses {
  readonly told: Told[] = [];
  /** What it was closed with; null: it is open. */
  code: number | null = null;
  private readonly ws: ResponsesWS;

  constructor(baseURL: string, apiKey: string) {
    const client = new OpenAI({ baseURL, apiKey });
    this.ws = new ResponsesWS(client, { headers: { 'x-tollgate-headers': 'on' } });
    this.ws.on('event', (event) => this.told.push({ ...event }));
    this.ws.on('close', (code) => (this.code = code));
    // Faults are read among the events.
    this.ws.on('error', () => undefined);
  }

  ask(turn: Turn): void {
    this.ws.send({ type: 'response.create', store: false, ...turn });
  }

  /** Asks, and waits for the end of the answer. @throws Error with what was told in place of one */
  async answer(turn: Turn): Promise<{ response: OpenAI.Responses.Response; requestId: string }> {
    const told = await this.turn(turn);
    const last = told.at(-1);
    if (last?.type !== 'response.completed') throw new Error(JSON.stringify(last));
    return { response: last.response as OpenAI.Responses.Response, requestId: requestIdIn(told) };
  }

  async turn(turn: Turn): Promise<Told[]> {
    const from = this.told.length;
    this.ask(turn);
    await eventually(() => this.told.slice(from).some(ends), 20_000);
    return this.told.slice(from);
  }

  /** Waits for the text of an answer to begin. Returns the id of its request. */
  async saysText(): Promise<string> {
    await eventually(() => this.told.some(({ type }) => type === 'response.output_text.delta'), 20_000);
    return requestIdIn(this.told);
  }

  close(): void {
    this.ws.close();
  }
}

function requestIdIn(told: readonly Told[]): string {
  const { headers } = told.find(({ type }) => type === 'response.metadata') as { headers?: Record<string, string> };
  return headers?.['x-request-id'] ?? '';
}

export function responsesSocket(shared: () => TestStack): void {
  const keyFor = (name: string, more: { rpm?: number; quotaTokens?: number } = {}) =>
    shared().stack.createKey({ name, plan: 'enterprise', rpm: null, quotaTokens: null, ...more });

  const spokenBy = (apiKey: string) => new SpokenResponses(`${shared().stack.baseUrl}/v1`, apiKey);

  async function usedBy(apiKey: string): Promise<number> {
    const response = await fetch(`${shared().stack.baseUrl}/v1/usage`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    return ((await response.json()) as { used: number }).used;
  }

  /** What the ledger has of a request. */
  async function eventsOf(requestId: string) {
    const explained = await eventually(
      () =>
        shared()
          .stack.call(ledgerOperations.explain, { id: requestId })
          .catch(() => null),
      (reply) => reply !== null,
    );
    return explained?.events ?? [];
  }

  /** What the provider booked of a request that was given up, once it noticed. */
  const cutRow = async (requestId: string) => {
    const rows = await eventually(
      () => shared().provider.ledger(requestId),
      ([row]) => typeof row?.closedByPeerAt === 'number',
      5_000,
    );
    return rows[0];
  };

  it.each(models)('%s is asked in turns with tools and reasoning, each billed as it says', async (model) => {
    const { provider } = shared();
    const { apiKey } = await keyFor('spoken');
    const spoken = spokenBy(apiKey);
    const asked = { model, tools, reasoning: { effort: 'low' as const } };
    const first = await spoken.answer({ ...asked, input: 'get_weather please' });
    const call = first.response.output.find((item) => item.type === 'function_call');
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'rain' };
    const second = await spoken.answer({ ...asked, previous_response_id: first.response.id, input: [output] });
    const third = await spoken.answer({ ...asked, previous_response_id: second.response.id, input: 'And then?' });
    expect(third.response.output_text).not.toBe('');
    let total = 0;
    for (const { response, requestId } of [first, second, third]) {
      const { input_tokens: input = -1, output_tokens: output = -1, total_tokens: all = -1 } = response.usage ?? {};
      expect(await provider.ledger(requestId)).toMatchObject([
        { state: 'completed', inputTokens: input, outputTokens: output },
      ]);
      const [event, ...others] = await eventsOf(requestId);
      expect(event).toMatchObject({ event: { state: 'completed', usage: { input, output } } });
      expect([event?.storedNanoUsd, others]).toEqual([event?.computedNanoUsd, []]);
      total += all;
    }
    await eventually(async () => (await usedBy(apiKey)) === total);
    spoken.close();
  });

  it('stops at its provider what a caller closes, and bills what was produced', async () => {
    const { apiKey } = await keyFor('hung-up');
    const spoken = spokenBy(apiKey);
    spoken.ask({ model: 'mistral/mistral-large-4', input: 'Hang up. [[sandbox: tokens=40 fault=stall at=10]]' });
    const requestId = await spoken.saysText();
    spoken.close();
    expect(await cutRow(requestId)).toMatchObject({ state: 'cut', outputTokens: 10 });
    const [event, ...others] = await eventsOf(requestId);
    expect([event, others]).toMatchObject([{ event: { state: 'cancelled', usage: { output: 10 } } }, []]);
    const billed = (event?.event.usage?.input ?? -1) + 10;
    await eventually(async () => (await usedBy(apiKey)) === billed);
  });

  it('ends every connection of a revoked key within two seconds, and what runs on it', async () => {
    const { stack } = shared();
    const { apiKey, key } = await keyFor('taken-away');
    const [idle, busy] = [spokenBy(apiKey), spokenBy(apiKey)];
    await idle.answer({ model: 'openai/gpt-5.4-mini', input: 'Hello?' });
    busy.ask({ model: 'cohere/command-a-plus-05-2026', input: 'Go on. [[sandbox: tokens=40 fault=stall at=10]]' });
    const requestId = await busy.saysText();
    await stack.call(accountsOperations.revokeKey, { keyId: key.id });
    await eventually(() => idle.code === 1008 && busy.code === 1008, 2_000);
    expect(busy.told.at(-1)).toMatchObject({ type: 'error', status: 401 });
    expect(await cutRow(requestId)).toMatchObject({ state: 'cut' });
  });

  it.each([
    ['requests', { rpm: 2 }, 'Hello?'],
    ['tokens', { quotaTokens: 400 }, 'Talk. [[sandbox: tokens=390]]'],
  ])('keeps the limit of %s, and says it as over HTTP', async (_what, limits, input) => {
    const { stack } = shared();
    const { apiKey } = await keyFor('limited', limits);
    const spoken = spokenBy(apiKey);
    const asked = { model: 'openai/gpt-5.4-mini', input };
    await spoken.answer(asked);
    const posted = await eventually(
      () =>
        fetch(`${stack.baseUrl}/v1/responses`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(asked),
        }),
      ({ status }) => status === 429,
    );
    const [refusal] = await spoken.turn(asked);
    const { error } = (await posted.json()) as { error: { type: string } };
    const limit = posted.headers.get('x-tollgate-limit');
    expect(refusal).toMatchObject({ status: 429, error: { type: error.type }, headers: { 'x-tollgate-limit': limit } });
    spoken.close();
  });
}
