import { dialectName, tokenUsage } from '@tollgate/contracts';
import type { DialectName, GenerationSurface, TokenUsage } from '@tollgate/contracts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { surfaces } from '../surface';
import { surfaceCodecs, translationFor } from '../translations';
import { targetOf } from './targets.fixture';

/**
 * Written by tools/usage-table, which works out tokens and costs by itself; metering's spec prices the same
 * rows.
 */
const table = z
  .object({
    rows: z.array(
      z.object({
        name: z.string(),
        dialect: dialectName,
        upstreamModel: z.string().nullable(),
        usage: z.record(z.string(), z.unknown()),
        tokens: tokenUsage,
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(__dirname, '__fixtures__/usage-table.json'), 'utf8')));

/**
 * Raw answers from providers' documentation with what they cost, worked out by hand from printed prices;
 * metering's spec charges the same rows, catalog's compares the prices with those it puts in force. `body`: a
 * document, or the text of a stream, which is not whole where the form is `cut`: inference's spec reads
 * those. Of the form `vectors`: an answer to embeddings.
 */
const invoice = z
  .object({
    rows: z.array(
      z.object({
        name: z.string(),
        model: z.string(),
        wire: dialectName,
        form: z.string(),
        body: z.union([z.string(), z.record(z.string(), z.unknown())]),
        usage: tokenUsage,
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(__dirname, '__fixtures__/invoice.json'), 'utf8')));

/** The shortest whole answer of each dialect, with this usage. */
const answers: Record<DialectName, (usage: object) => object> = {
  'openai-chat': (usage) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage,
  }),
  'openai-responses': (usage) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: 'm',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
      },
    ],
    usage,
  }),
  'anthropic-messages': (usage) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  }),
  gemini: (usageMetadata) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata,
  }),
  'bedrock-converse': (usage) => ({
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
    stopReason: 'end_turn',
    usage,
    metrics: { latencyMs: 1 },
  }),
  cohere: (usage) => ({
    id: '1',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    usage,
  }),
};

const questions: Record<GenerationSurface, object> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  'openai-responses': { model: 'm', input: 'Hi' },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
};

/**
 * The usage that inference bills for an answer, a document or the text of a stream, asked through a surface.
 */
function billed(
  surface: GenerationSurface,
  dialect: DialectName,
  upstreamModel: string | null,
  answer: object | string,
): unknown {
  const translation = translationFor(surface, dialect);
  const stream = typeof answer === 'string';
  const target = targetOf(dialect, stream);
  const body = Buffer.from(JSON.stringify({ ...questions[surface], stream }));
  const reader = translation
    ?.prepare(body, { ...target, upstreamModel: upstreamModel ?? target.upstreamModel }, { includeUsage: true })
    .answerReader();
  reader?.push(Buffer.from(stream ? answer : JSON.stringify(answer)));
  reader?.end();
  return reader?.usage;
}

describe.each(surfaceCodecs.map(({ name }) => name))('what a caller of %s is billed for', (surface) => {
  it.each(table.rows.map((row) => [row.name, row] as const))('is what the provider counted: %s', (_, row) => {
    const { dialect, upstreamModel, usage, tokens } = row;
    const { served, ...counted } = billed(surface, dialect, upstreamModel, answers[dialect](usage)) as TokenUsage;
    expect(counted).toEqual(tokens);
    // What a provider says of costs and other units stands beside its tokens, and nothing else does.
    const { toldNanoUsd: _told, units: _units, ...more } = served ?? {};
    expect(more).toEqual({});
  });

  const whole = invoice.rows.filter(({ form }) => form !== 'cut' && form !== 'vectors');
  it.each(whole.map((row) => [row.name, row] as const))('is what the provider used: %s', (_, row) => {
    expect(billed(surface, row.wire, row.model.replace(/^[^/]*\//, ''), row.body)).toEqual(row.usage);
  });
});

const cut = invoice.rows.filter(({ form, wire }) => form === 'cut' && surfaceCodecs.some(({ name }) => name === wire));

it.each(cut.map((row) => [row.name, row] as const))(
  'what a caller was sent tells edge, where the instance is lost: %s',
  (_, { model, wire, body, usage }) => {
    const transcript = surfaces.find(({ name }) => name === wire)?.transcript();
    for (const byte of Buffer.from(typeof body === 'string' ? body : '')) transcript?.push(Uint8Array.of(byte));
    expect(transcript?.served(model.split('/')[0] ?? '')).toEqual(usage.served);
  },
);

describe('what a caller of embeddings is billed for', () => {
  const vectors = invoice.rows.filter(({ form }) => form === 'vectors');
  it.each(vectors.map((row) => [row.name, row] as const))('is what the provider used: %s', (_, { wire, ...row }) => {
    const target = { ...targetOf(wire, false), upstreamModel: row.model.replace(/^[^/]*\//, '') };
    const question = Buffer.from(JSON.stringify({ model: 'm', input: 'Hi', encoding_format: 'float' }));
    const reader = translationFor('openai-embeddings', wire)
      ?.prepare(question, target, { includeUsage: false })
      .answerReader();
    reader?.push(Buffer.from(JSON.stringify(row.body)));
    reader?.end();
    expect(reader?.usage).toEqual(row.usage);
  });
});
