import { operations } from '../generation/operations';
import { readSent } from '../generation/sent-request';
import { StatefulRequests } from './stateful-requests';
import type { Turn } from './turn';
import { inCountedTurns } from '../testing/in-counted-turns';

const operation = operations.find(({ path }) => path === '/v1/responses');
const key = { id: 'key', accountId: 'account' };
const message = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

/** A request that goes on from this turn, and what became of it. */
async function goingOn(turn: Turn) {
  if (!operation) throw new Error('no responses');
  const store = { read: () => Promise.resolve({ turns: [turn], bornAt: 1, oldestAt: 1 }) };
  const parts = [store, {}, { isOn: true }, { find: () => Promise.resolve([]) }, {}, { nowMs: () => 2 }];
  const requests = new StatefulRequests(...(parts as unknown as [never, never, never, never, never, never]), {
    bodyLimit: 32 * 1024 * 1024,
  } as never);
  const bytes = Buffer.from(JSON.stringify({ model: 'm', input: 'And now?', previous_response_id: 'resp_1' }));
  const sent = readSent(operation, bytes, { quotaTokens: null, providerHeaders: {} });
  const { state } = sent.read;
  if (!state) throw new Error('no state');
  const freed: Uint8Array[] = [];
  const composed = await requests.compose({
    ...{ state, sent, bytes, key: key as never, generates: true, near: null },
    waits: (wait) => wait(new AbortController().signal),
    hold: () => Promise.resolve(),
    onOver: () => undefined,
    free: (of) => {
      freed.push(of);
      // As the memory that is gone.
      of.fill(0);
    },
  });
  return { composed, freed };
}

it('gives the memory of what it goes on from back as soon as that is in the request', async () => {
  const turn = {
    input: Buffer.from(JSON.stringify([message('A'.repeat(2_000_000))])),
    output: Buffer.from(JSON.stringify([{ type: 'message', role: 'assistant', content: [] }])),
    rest: Buffer.from('{}'),
  };
  const items = [
    ...(JSON.parse(turn.input.toString()) as unknown[]),
    ...(JSON.parse(turn.output.toString()) as unknown[]),
  ];
  const { composed, freed } = await goingOn(turn);
  expect(freed).toEqual([turn.input]);
  expect(JSON.parse(composed.bytes.toString())).toMatchObject({ input: [...items, message('And now?')] });
  expect(JSON.parse(composed.turn?.input.toString() ?? '')).toEqual([message('And now?')]);
});

it('copies a quarter of a mebibyte of what it goes on from in a turn of the event loop', async () => {
  const parts = Array.from({ length: 8 }, (_, at) => message(`${at}`.repeat(1_000_000)));
  const turn = { input: Buffer.from(JSON.stringify(parts)), output: Buffer.from('[]'), rest: Buffer.from('{}') };
  const { result, turns } = await inCountedTurns(() => goingOn(turn));
  expect(result.composed.bytes.length).toBeGreaterThan(8_000_000);
  expect(turns).toBeGreaterThanOrEqual(30);
});
