import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Attack } from '../attack';
import { asking, wiring } from '../attack';

const mebibyte = 1024 * 1024;
/** Just below the limit of a body, 32 MiB. */
const large = 29 * mebibyte;
const rarely = { atOnce: 4, perSecond: 4 };
const often = { atOnce: 16, perSecond: 40 };
const message = '"messages":[{"role":"user","content":"Hello. [[sandbox: tokens=3]]"}]';

/** Made at its first use: some are of many megabytes. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * A whole request with this value in the parameters of a tool, where a provider takes any: in `metadata` it
 * refuses what is large, and nothing more is worked on.
 */
function holding(model: string, value: string): Buffer {
  const parameters = `{"type":"object","properties":{},"default":${value}}`;
  const tool = `{"type":"function","function":{"name":"f","parameters":${parameters}}}`;
  return Buffer.from(`{"model":"${model}",${message},"tools":[${tool}]}`);
}

/** A whole request around something that is repeated until it is large. */
function filled(model: string, opening: string, unit: string, closing: string, bytes = large): Buffer {
  return holding(model, opening + unit.repeat(Math.floor(bytes / unit.length)) + closing);
}

const model = 'openai/gpt-5.4-mini';
/** Its context takes a million tokens. */
const largeModel = 'openai/gpt-5.4';
const tinyValues = once(() => filled(model, '{"a":[', '[],', '0]}'));
const smallNumbers = once(() => filled(model, '{"a":[', '1,', '0]}'));
const manyMembers = once(() => {
  const members = Array.from({ length: 1_500_000 }, (_, index) => `"m${index}":0`).join(',');
  return holding(model, `{${members}}`);
});
/** What JSON of less than a megabyte can become, and what is dear in it for guardrails. */
const members = once(() => {
  const named = Array.from({ length: 80_000 }, (_, index) => `"m${index}":${index}`).join(',');
  return holding(largeModel, `{${named}}`);
});
const numbers = once(() => filled(largeModel, '{"a":[', '4,', '0]}', 200_000));
const tinyParts = once(() => {
  const content = Array.from({ length: 2_500 }, () => ({ type: 'text', text: 'a@' }));
  return JSON.stringify({ model, messages: [{ role: 'user', content }] });
});
/** A schema that is translated for a provider of another dialect, of as many values as may be. */
const translated = once(() => {
  const required = Array.from({ length: 49_000 }, (_, index) => `n${index}`);
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', required } } }];
  return JSON.stringify({ model: 'anthropic/claude-opus-4-8', messages: [{ role: 'user', content: 'Hi' }], tools });
});
/**
 * Text that no tokenizer has words for, as much as a context takes, without what a guardrail blocks: what is
 * left of such a prompt is counted when its caller leaves.
 */
const letters = once(() => {
  const words = Array.from({ length: 500 }, () =>
    randomBytes(96)
      .toString('base64')
      .replace(/[^b-z]/gi, 'x'),
  );
  const content = `Hello. [[sandbox: tokens=200 delay_ms=20]] ${words.join(' ')}`;
  const messages = Array.from({ length: 20 }, () => ({ role: 'user', content }));
  return JSON.stringify({ model: largeModel, stream: true, messages });
});
const hugeText = once(() => filled(model, '{"a":"', 'All of it is one text. ', '"}'));
const escapes = once(() => filled(model, '{"a":"', '\\u0041', '"}'));
const spaces = once(() => filled(model, '', ' ', '{}'));
const deep = once(() => filled(model, '{"a":', '['.repeat(1_000), '', 100_000));
const longPrompt = once(() => `Hello. [[sandbox: tokens=3]] ${'word after word '.repeat(1_900_000)}`);
/** Just what is counted while it is waited for. */
const waitedFor = once(() => `Hello. [[sandbox: first_ms=3000 tokens=3]] ${'word after word '.repeat(3_800)}`);
const manyMessages = once(() => {
  const messages = Array.from({ length: 100_001 }, (_, index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: 'x',
  }));
  return JSON.stringify({ model, messages });
});
const manyTools = once(() => {
  const parameters = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(200) } } };
  const tools = Array.from({ length: 20_000 }, (_, index) => ({
    type: 'function',
    function: { name: `tool_${index}`, parameters },
  }));
  return JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], tools });
});
const manyCalls = once(() =>
  Buffer.from(`{"model":"${model}","input":[${'{"type":"function_call"},'.repeat(40_000)}{"role":"user"}]}`),
);
const manyImages = once(() => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(10_000)}` } };
  return JSON.stringify({ model, messages: [{ role: 'user', content: Array.from({ length: 2_500 }, () => image) }] });
});
const bombOfSpaces = once(() => gzipSync(Buffer.alloc(200 * mebibyte, ' ')));
const bombOfValues = once(() => gzipSync(tinyValues()));
/** The whole of it is a few hundred bytes. */
const brotliOfSpaces = once(() =>
  brotliCompressSync(Buffer.alloc(200 * mebibyte, ' '), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
);
/** Some hundred bytes, of which a decoder writes 16 MiB before it hands on the first one. */
const brotliOfAWindow = once(() => {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 5 };
  return brotliCompressSync(Buffer.alloc(64 * mebibyte, ' '), { params });
});
const zipped = { 'content-encoding': 'gzip' };

/** Bodies that are dear to read. */
export const bodyAttacks: readonly Attack[] = [
  asking('29 MiB of tiny arrays', rarely, () => ({ body: tinyValues() })),
  asking('29 MiB of tiny arrays, by a limited key', rarely, ({ means }) => ({
    key: means.keys.limited,
    body: tinyValues(),
  })),
  asking('29 MiB of tiny arrays, by a key without quota', rarely, ({ means }) => ({
    key: means.keys.spent,
    body: tinyValues(),
  })),
  asking('29 MiB of numbers', rarely, () => ({ body: smallNumbers() })),
  asking('an object of 1.5 million members', rarely, () => ({ body: manyMembers() })),
  asking('200: 80,000 members in a megabyte', rarely, () => ({ body: members() })),
  asking('200: 100,000 numbers in 200 kB', rarely, () => ({ body: numbers() })),
  asking('200: 2,500 tiny texts that are looked at one by one', often, () => ({ body: tinyParts() })),
  asking('200: 49,000 values that are translated', rarely, () => ({ body: translated() })),
  asking('left: behind 1.3 MB of letters', rarely, () => ({ body: letters(), leaveAfterBytes: 1_000 })),
  asking('prompts of 60 kB that are waited for', { atOnce: 100, perSecond: 100 }, (attacker, number) => ({
    body: { model: attacker.model(number), messages: [{ role: 'user', content: waitedFor() }] },
  })),
  asking('a text of 29 MiB', rarely, () => ({ body: hugeText() })),
  asking('29 MiB of escapes', rarely, () => ({ body: escapes() })),
  asking('29 MiB of spaces', rarely, () => ({ body: spaces() })),
  asking('24 bodies of 29 MiB at once', { atOnce: 24, perSecond: 48 }, () => ({ body: hugeText() })),
  asking('JSON of depth 100,000', often, () => ({ body: deep() })),
  asking('100,001 messages', rarely, () => ({ body: manyMessages() })),
  asking('20,000 tools', rarely, () => ({ body: manyTools() })),
  asking('40,000 calls in the form of responses', rarely, () => ({ body: manyCalls() })),
  asking('200: 2,500 images', rarely, () => ({ body: manyImages() })),
  asking('a bomb of spaces, gzip', often, () => ({ headers: zipped, body: bombOfSpaces() })),
  asking('a bomb of tiny arrays, gzip', rarely, () => ({ headers: zipped, body: bombOfValues() })),
  asking('a bomb of spaces, br', often, () => ({
    headers: { 'content-encoding': 'br' },
    body: brotliOfSpaces(),
  })),
  {
    ...wiring('bodies of Brotli that stall', { atOnce: 300, perSecond: 300 }, (attacker) => ({
      first: Buffer.concat([
        Buffer.from(attacker.head(['content-encoding: br', 'content-length: 1000'])),
        brotliOfAWindow(),
      ]),
      holdMs: 60_000,
    })),
    leastMs: 4_000,
    prepare: () => void brotliOfAWindow(),
  },
  asking('33 MiB (413)', rarely, () => ({ body: Buffer.alloc(33 * mebibyte, ' ') })),
  asking('token counting of 29 MiB', rarely, () => ({
    path: '/v1/messages/count_tokens',
    body: { model: 'anthropic/claude-opus-4-8', messages: [{ role: 'user', content: longPrompt() }] },
  })),
  asking('a prompt of 29 MiB', rarely, () => ({
    body: { model, messages: [{ role: 'user', content: longPrompt() }] },
  })),
  asking('a prompt of 29 MiB in the form of responses', rarely, () => ({ body: { model, input: longPrompt() } })),
];
