import type { DialectName, TokenUsage } from '@tollgate/contracts';
import fc from 'fast-check';
import type { FinishReason, GenerationEvent, TokenLogprob } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';

/** The events of one block in their order; blocks of an answer are then mixed. */
type BlockProgram = (choice: number, block: number) => GenerationEvent[];

const text = fc.string({ maxLength: 8, unit: 'grapheme' });
const texts = fc.array(text, { maxLength: 4 });
const word = fc.stringMatching(/^[a-zA-Z0-9_]{1,12}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));

const signing: readonly DialectName[] = ['gemini', 'bedrock-converse', 'anthropic-messages'];
const seal: fc.Arbitrary<ReasoningSeal> = fc.oneof(
  fc.record({
    dialect: fc.constantFrom(...signing),
    kind: fc.constant('signature' as const),
    value: base64,
  }),
  fc.record({
    dialect: fc.constant('anthropic-messages' as const),
    kind: fc.constant('redacted' as const),
    value: base64,
  }),
  fc.record({
    dialect: fc.constant('openai-responses' as const),
    kind: fc.constant('encrypted' as const),
    value: base64,
  }),
);
const logprob: fc.Arbitrary<TokenLogprob> = fc.tuple(word, fc.integer({ min: -20, max: 0 })).map(([token, value]) => ({
  token,
  logprob: value,
  bytes: [...Buffer.from(token)],
  top: [{ token, logprob: value, bytes: [...Buffer.from(token)] }],
}));

const textBlock: fc.Arbitrary<BlockProgram> = fc
  .record({
    deltas: fc.array(
      fc.tuple(text, fc.option(fc.array(logprob, { minLength: 1, maxLength: 2 }), { freq: 3, nil: undefined })),
      {
        maxLength: 4,
      },
    ),
    citation: fc.option(fc.tuple(fc.option(fc.webUrl()), word), { freq: 3 }),
    isClosed: fc.boolean(),
  })
  .map(({ deltas, citation, isClosed }) => (choice, block) => [
    { type: 'text-start', choice, block },
    ...deltas.map(([said, logprobs]): GenerationEvent => {
      // A provider tells log probabilities only of tokens that it tells.
      return { type: 'text-delta', choice, block, text: said, ...(logprobs && said !== '' && { logprobs }) };
    }),
    // Only a text that is there can have a source.
    ...(citation && deltas.some(([said]) => said !== '') ? [cited(choice, block, citation)] : []),
    ...(isClosed ? [{ type: 'text-end', choice, block } as const] : []),
  ]);

function cited(choice: number, block: number, [url, title]: [string | null, string]): GenerationEvent {
  return { type: 'citation', choice, block, citation: { dialect: 'gemini', url, title, original: { uri: url } } };
}

const reasoningBlock: fc.Arbitrary<BlockProgram> = fc
  .record({ texts, seal: fc.option(seal), isClosed: fc.boolean() })
  .map(({ texts: said, seal: sealed, isClosed }) => (choice, block) => [
    { type: 'reasoning-start', choice, block },
    ...(sealed?.kind === 'redacted' ? [] : said).map(
      (each) => ({ type: 'reasoning-delta', choice, block, text: each }) as const,
    ),
    ...(isClosed || sealed ? [{ type: 'reasoning-end', choice, block, ...(sealed && { seal: sealed }) } as const] : []),
  ]);

/** A refusal has words. */
const refusalBlock: fc.Arbitrary<BlockProgram> = fc
  .tuple(word, texts)
  .map(([first, rest]) => [first, ...rest])
  .map((said) => (choice, block) => [
    { type: 'refusal-start', choice, block },
    ...said.map((each) => ({ type: 'refusal-delta', choice, block, text: each }) as const),
  ]);

/** Arguments in pieces, cut anywhere. */
const args: fc.Arbitrary<readonly string[]> = fc
  .tuple(fc.dictionary(word, fc.oneof(fc.string(), fc.integer()), { maxKeys: 2 }), fc.nat(20))
  .map(([value, at]) => {
    const json = JSON.stringify(value);
    return [json.slice(0, at), json.slice(at)];
  });
const signature = fc.record({
  dialect: fc.constant('gemini' as const),
  kind: fc.constant('signature' as const),
  value: base64,
});
const callBlock: fc.Arbitrary<BlockProgram> = fc
  .record({
    name: word,
    args: fc.oneof(args, fc.constant<readonly string[]>([])),
    signature: fc.option(signature, { freq: 4 }),
    isClosed: fc.boolean(),
  })
  .map(({ name, args: pieces, signature: sealed, isClosed }) => (choice, block) => [
    {
      type: 'tool-call-start',
      choice,
      block,
      id: `call_${block}`,
      name,
      ...(sealed && !isClosed && { signature: sealed }),
    },
    ...pieces.map((piece) => ({ type: 'tool-call-delta', choice, block, arguments: piece }) as const),
    ...(isClosed ? [{ type: 'tool-call-end', choice, block, ...(sealed && { signature: sealed }) } as const] : []),
  ]);

const count = fc.nat(5_000);
const usage: fc.Arbitrary<TokenUsage> = fc
  .tuple(count, count, count, count, count, count)
  .map(([fresh, cached, w5, w1, said, thought]) => ({
    input: 1 + fresh + cached + w5 + w1,
    output: said + thought,
    cachedInput: cached,
    cacheWrite5m: w5,
    cacheWrite1h: w1,
    reasoning: thought,
    audioInput: 0,
    audioOutput: 0,
  }));

const reasons: readonly FinishReason[] = [
  'stop',
  'stop-sequence',
  'length',
  'content-filter',
  'refusal',
  'pause',
  'context-length',
  'unknown',
];

interface ChoiceProgram {
  blocks: BlockProgram[];
  reason: FinishReason;
}
const choiceProgram: fc.Arbitrary<ChoiceProgram> = fc.record({
  blocks: fc.array(fc.oneof(textBlock, reasoningBlock, callBlock, { arbitrary: refusalBlock, weight: 1 }), {
    maxLength: 4,
  }),
  reason: fc.constantFrom(...reasons),
});

/**
 * How blocks may overlap. any: as the canonical form allows; calls: what is thought and said comes one block
 * after the other, and tool calls go on beside what is said only, which is all that chat completions can tell
 * apart.
 */
type Overlap = 'any' | 'calls';

/**
 * The events of one answer as a provider's parser may give them: blocks in any mixture, some left open, empty
 * deltas, usage anywhere and more than once; every choice finishes. `several`: up to three choices, else one.
 */
export function randomEvents(several: boolean, overlap: Overlap = 'any'): fc.Arbitrary<GenerationEvent[]> {
  const choices = fc.array(choiceProgram, { minLength: 1, maxLength: several ? 3 : 1 });
  const picks = fc.array(fc.nat(999), { minLength: 40, maxLength: 40 });
  return fc
    .tuple(choices, picks, fc.array(usage, { maxLength: 2 }), fc.boolean())
    .map(([programs, order, usages, isMixed]) => {
      const body = mixed(lanesOf(programs, overlap), isMixed ? order : []);
      for (const [index, told] of usages.entries())
        body.splice((order[index] ?? 0) % (body.length + 1), 0, { type: 'usage', usage: told });
      const finishes = programs.map(({ reason }, choice) => finishOf(body, choice, reason));
      return [
        { type: 'start', id: 'up_1', model: 'large-2', createdAtS: 1_600_000_000 },
        ...body,
        ...finishes,
        { type: 'end' },
      ];
    });
}

/** Runs of events that keep their order among themselves. */
function lanesOf(programs: readonly ChoiceProgram[], overlap: Overlap): GenerationEvent[][] {
  let block = 0;
  return programs.flatMap(({ blocks }, choice) => {
    const lanes = blocks.map((program) => program(choice, block++));
    if (overlap === 'any') return lanes;
    const of = (...types: GenerationEvent['type'][]) =>
      lanes.filter((lane) => types.some((type) => lane[0]?.type === type));
    const thought = of('reasoning-start').flat();
    const said = of('text-start', 'refusal-start').flat();
    const calls = of('tool-call-start');
    return thought.length > 0 ? [[...thought, ...said, ...calls.flat()]] : [said, ...calls];
  });
}

/** Takes from the lanes by turns. No picks: one lane after the other. */
function mixed(lanes: readonly GenerationEvent[][], picks: readonly number[]): GenerationEvent[] {
  const events: GenerationEvent[] = [];
  for (let turn = 0; lanes.some((lane) => lane.length > 0); turn++) {
    const open = lanes.filter((lane) => lane.length > 0);
    const event = open[(picks[turn] ?? 0) % open.length]?.shift();
    if (event) events.push(event);
  }
  return events;
}

/** An even number of calls ends by them; some providers say stop nevertheless. */
function finishOf(events: readonly GenerationEvent[], choice: number, reason: FinishReason): GenerationEvent {
  const calls = events.filter((event) => event.type === 'tool-call-start' && event.choice === choice).length;
  return { type: 'finish', choice, reason: calls > 0 && calls % 2 === 0 ? 'tool-calls' : reason };
}
