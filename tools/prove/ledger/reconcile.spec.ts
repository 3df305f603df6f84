import type { CatalogModel } from '@tollgate/contracts/catalog';
import { countBySample, surfaces } from '@tollgate/dialects/surface';
import type { Outcome } from '../exchange';
import type { LedgerRow } from '../simulated-provider';
import { clientSurfaces } from '../client-surface';
import { reconcile } from './reconcile';
import type { StoredEvent } from './stored-events';

const none = {
  audioInputTokens: 0,
  audioOutputTokens: 0,
  answeredBy: null,
  seen: { image: 0, video: 0 },
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
};
const prices = { input: '1', output: '1' };
const models = [{ id: 'm', prices }] as unknown as CatalogModel[];

/** A streamed request that its provider reset after five tokens, of which nobody read any. */
function reset(id: string, content = '', output = 0) {
  const request = { id, surface: 'openai-chat', model: 'm', prompt: 'x', stream: true, kind: 'fault' };
  const outcome = { request, state: 'failed', content, reason: '502', sentAt: 0, endedAt: 1 } as unknown as Outcome;
  const row = {
    requestId: id,
    kind: 'generation',
    state: 'cut',
    fault: 'reset_mid',
    inputTokens: 36,
    outputTokens: 5,
    ...none,
  };
  const told = { served: [], units: {}, samplings: [], picoUsd: null };
  const event = {
    ...{ request_id: id, model: 'm', state: 'failed', status: 502, estimated: true, reported_by: 'inference' },
    ...{ input_tokens: 0, output_tokens: output, cached_input: 0, cache_write_5m: 0, cache_write_1h: 0 },
    ...{
      audio_input: 0,
      audio_output: 0,
      other_kinds: 0,
      served: { words: [], markedReads: false, units: {}, parts: [], seen: { image: 0, video: 0 }, toldNanoUsd: null },
    },
    ...{ cost_nano_usd: BigInt(output) * 1_000n, is_of_the_dead: false },
  };
  return { outcome, row: { ...row, ...told } as unknown as LedgerRow, event: event as unknown as StoredEvent };
}

const judged = (all: ReturnType<typeof reset>[]) =>
  reconcile(
    all.map(({ outcome }) => outcome),
    all.map(({ row }) => row),
    all.map(({ event }) => event),
    models,
  );

it.each([
  ['what the gateway counts of a large request by samples', 0],
  ['a token more than that as wrong', 1],
])('takes %s', (_, more) => {
  const { outcome, row, event } = reset('long', 'some words', 5);
  const request = { ...outcome.request, prompt: 'Read this. '.repeat(5_000) + 'so '.repeat(40_000), stream: true };
  const body = clientSurfaces['openai-chat'].body(request.model, request.prompt, request.stream);
  const count = (): number => surfaces.find(({ name }) => name === 'openai-chat')?.countInputTokens(body) ?? 0;
  const sampled = countBySample(Buffer.byteLength(JSON.stringify(body)), count);
  expect([count(), row.inputTokens]).not.toContain(sampled);
  const input = sampled + more;
  const charged = { ...event, input_tokens: input, cost_nano_usd: BigInt(input + 5) * 1_000n };
  const { problems } = judged([{ row, outcome: { ...outcome, request }, event: charged }]);
  expect(problems).toHaveLength(more);
});

it('excuses an answer of which a reset threw away all that was written', () => {
  const { problems, thrownAway, outputTokens } = judged([reset('a')]);
  expect(problems).toEqual([]);
  expect(thrownAway).toBe(1);
  expect(outputTokens).toEqual({ booked: 0, billed: 0 });
});

it('excuses none that its caller read of, and none that is billed', () => {
  expect(judged([reset('a', 'word')]).problems).toEqual([expect.stringContaining('the provider booked 36 + 5')]);
  expect(judged([reset('a', '', 3)]).problems).toContainEqual(expect.stringContaining('the provider booked 36 + 5'));
});

it('excuses one in ten of them only', () => {
  const read = Array.from({ length: 8 }, (_, at) => reset(`read-${at}`, 'word', 5));
  expect(judged([...read, reset('a')]).thrownAway).toBe(1);
  expect(judged([...read, reset('a'), reset('b')]).problems).toContain(
    'of 2 of 10 answers that ended with a reset nothing was read',
  );
});

/** One that its caller left, or saw break off, after two tokens. */
function ofTheDead(id: string, state: 'left' | 'failed', output = 0): ReturnType<typeof reset> {
  const { outcome, row, event } = reset(id, 'two words', output);
  return {
    outcome: { ...outcome, state },
    row: { ...row, fault: 'stall', outputTokens: 2 },
    event: { ...event, is_of_the_dead: true },
  };
}

it.each(['left', 'failed'] as const)('excuses what nobody can tell of any more, whose caller %s', (state) => {
  const { problems, untold, outputTokens } = judged([ofTheDead('a', state)]);
  expect(problems).toEqual([]);
  expect(untold).toBe(1);
  expect(outputTokens).toEqual({ booked: 0, billed: 0 });
});

it('excuses none of those that is billed, and one in fifty only', () => {
  expect(judged([ofTheDead('a', 'left', 3)]).problems).toContainEqual(expect.stringContaining('is billed'));
  expect(judged([ofTheDead('a', 'left'), ofTheDead('b', 'failed')]).problems).toEqual([
    'of 2 of 2 that were cut off nobody could tell what was used',
  ]);
});

/** One that is answered whole with six tokens, at `model`. */
function answered(model: string, picoUsd: bigint | null, nanoUsd: bigint): ReturnType<typeof reset> {
  const { outcome, row, event } = reset('a', 'A gateway, it says.', 6);
  return {
    outcome: { ...outcome, state: 'complete' },
    row: { ...row, state: 'completed', fault: null, outputTokens: 6, picoUsd },
    event: { ...event, model, state: 'completed', estimated: false, input_tokens: 36, cost_nano_usd: nanoUsd },
  };
}

it('reads a mark behind a word as a token of its own', () => {
  expect(judged([answered('m', null, 42_000n)]).problems).toEqual([]);
});

it('holds a whole answer against the try that gave it, also where another one began later and was cut off', () => {
  const { outcome, row, event } = answered('m', null, 42_000n);
  const late: LedgerRow = { ...row, state: 'cut', outputTokens: 2 };
  expect(reconcile([outcome], [row, late], [event], models).problems).toEqual([]);
  expect(reconcile([outcome], [row, row], [event], models).problems).toEqual([
    expect.stringContaining('the provider answered it twice'),
  ]);
});

it('takes the discount off what the provider’s sheet says, and puts the mark-up on what is left', () => {
  expect(judged([answered('openai/gpt-5.4', 100_000n, 91n)]).problems).toEqual([]);
  expect(judged([answered('openai/gpt-5.4', 100_000n, 100n)]).problems).toEqual([
    expect.stringContaining('it costs 91, and is billed 100'),
  ]);
});

it('takes the image of an answer that was cut off behind it, before its tokens were told, for one without a price', () => {
  const { outcome, row, event } = reset('a', 'two words', 2);
  const cut = (images: number): ReturnType<typeof reset> => ({
    outcome,
    row: { ...row, outputTokens: 2, units: { 'gpt-image-2 image output': 272 } },
    event: {
      ...event,
      input_tokens: 36,
      cost_nano_usd: null,
      served: { ...event.served, units: { imageGeneration: images } },
    },
  });
  expect(judged([cut(1)]).problems).toEqual([]);
  expect(judged([cut(2)]).problems).toEqual([expect.stringContaining('imageGeneration 0 times, and the event says 2')]);
});
