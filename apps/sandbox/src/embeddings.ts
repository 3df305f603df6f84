import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { countTextTokens } from '@tollgate/dialects';
import { Ledger } from './ledger/ledger';
import { newRow } from './ledger/new-row';
import { textIn } from './request/read-values';
import { isRecord } from './request/record';

/** `model`: the one that the path names, empty where it stands in the body. */
const embedders: Readonly<Record<string, (body: unknown, model: string) => Embedded>> = {
  '/openai-chat/embeddings': embedAsOpenai,
  '/gemini/models/:call(^[^/]+:batchEmbedContents$)': embedAsGemini,
  '/cohere/embed': embedAsCohere,
};

/**
 * Registers the simulated endpoints for embeddings: plain answers, always the same for the same text, without
 * controls. They stand in the books like all others.
 */
export function addEmbeddingRoutes(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const ledger = app.get(Ledger);
  for (const [path, embed] of Object.entries(embedders)) {
    server.post(path, (request, reply) => {
      const row = ledger.book({ ...newRow(request.headers['x-client-request-id']), kind: 'embedding' });
      try {
        const { call } = isRecord(request.params) ? request.params : {};
        const { answer, ...booked } = embed(JSON.parse(String(request.body)), textIn(call).split(':')[0] ?? '');
        Object.assign(row, { ...booked, state: 'completed', status: 200, endedAt: Date.now() });
        return answer;
      } catch (error) {
        if (!(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
        // What is outside a schema that is closed.
        const isExtra = error instanceof z.ZodError && error.issues.every(({ code }) => code === 'unrecognized_keys');
        const status = isExtra ? 422 : 400;
        Object.assign(row, { state: 'refused', status, endedAt: Date.now() });
        // Every one of the dialects' clients finds the message in this.
        const words = error instanceof z.ZodError ? z.prettifyError(error) : 'malformed JSON';
        const message = isExtra ? `Extra inputs are not permitted. ${words}` : words;
        return reply.status(status).send({ error: { message, code: status, type: 'invalid_request_error' }, message });
      }
    });
  }
}

/** The size of a vector when nobody asked for another. */
const usualDimensions = 16;

/** What is answered, and what is booked of it. */
interface Embedded {
  model: string;
  inputTokens: number;
  answer: object;
}

const dimensions = z.number().int().positive().optional();

const openaiShape = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()), z.array(z.number()), z.array(z.array(z.number()))]),
  encoding_format: z.enum(['float', 'base64']).default('float'),
  dimensions,
});

/**
 * As many as the vectors of a model have: https://platform.openai.com/docs/guides/embeddings
 * What is said beyond them: https://github.com/takecchi/mnemora/blob/main/packages/openai/README.md
 */
const mostDimensions: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 1_536,
  'text-embedding-3-large': 3_072,
};

/** What is said of the older one, whose vectors have one size: https://github.com/SciPhi-AI/R2R/pull/768 */
const openaiRequest = openaiShape.superRefine(({ model, dimensions: size = 0 }, context) => {
  const most = mostDimensions[model] ?? Infinity;
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['dimensions'], message });
  if (size > most) refuse(`Invalid value for 'dimensions' = ${size}. Must be less than or equal to ${most}.`);
  if (size > 0 && model === 'text-embedding-ada-002') refuse('This model does not support specifying dimensions.');
});

/**
 * Mistral's, which calls the size of a vector otherwise and takes nothing beside these, be it null, as in its
 * chat completions. https://docs.mistral.ai/api/endpoint/embeddings
 * https://github.com/plastic-labs/honcho/pull/772 https://github.com/CherryHQ/cherry-studio/issues/8283
 * Vectors of mistral-embed have one size: https://github.com/garrytan/gbrain/pull/3001
 */
const mistralRequest = z
  .strictObject({
    ...openaiShape.omit({ dimensions: true }).shape,
    output_dimension: dimensions,
    output_dtype: z.literal('float').optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  })
  .refine(({ model, output_dimension: size }) => size === undefined || !model.startsWith('mistral-embed'), {
    path: ['output_dimension'],
    error: 'This model does not support output_dimension.',
  });

const isMistrals = z.looseObject({ model: z.string().regex(/^(?:mistral|codestral)-embed/) });

/**
 * https://platform.openai.com/docs/api-reference/embeddings/create
 * @throws ZodError for a request that is none.
 */
function embedAsOpenai(body: unknown): Embedded {
  const request = isMistrals.safeParse(body).success ? ofMistral(body) : openaiRequest.parse(body);
  const texts = textsOf(request.input);
  const inputTokens = tokensOf(texts);
  const answer = {
    object: 'list',
    data: texts.map((text, index) => {
      const vector = vectorOf(text, request.dimensions);
      const embedding = request.encoding_format === 'float' ? vector : base64Of(vector);
      return { object: 'embedding', index, embedding };
    }),
    model: request.model,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
  };
  return { model: request.model, inputTokens, answer };
}

function ofMistral(body: unknown): z.infer<typeof openaiShape> {
  const { output_dimension: size, ...request } = mistralRequest.parse(body);
  return { ...request, dimensions: size };
}

const geminiRequest = z.object({
  requests: z.array(
    z.object({
      content: z.object({ parts: z.array(z.object({ text: z.string() })) }),
      outputDimensionality: dimensions,
    }),
  ),
});

/**
 * https://ai.google.dev/api/embeddings#method:-models.batchembedcontents gemini-embedding-001 tells no
 * tokens, newer models do: https://ai.google.dev/api/embeddings#EmbeddingUsageMetadata
 * @throws ZodError
 */
function embedAsGemini(body: unknown, model: string): Embedded {
  const texts = geminiRequest.parse(body).requests.map(({ content, outputDimensionality: size }) => {
    return { text: content.parts.map(({ text }) => text).join(''), size };
  });
  const inputTokens = tokensOf(texts.map(({ text }) => text));
  const answer = {
    embeddings: texts.map(({ text, size }) => ({ values: vectorOf(text, size) })),
    ...(model !== 'gemini-embedding-001' && { usageMetadata: { promptTokenCount: inputTokens } }),
  };
  return { model, inputTokens, answer };
}

/** https://docs.cohere.com/reference/embed#request.body.output_dimension */
const sizesOfEmbed4: readonly number[] = [256, 512, 1_024, 1_536];

/** What is said of a size that is none of them: https://github.com/n24q02m/crg/pull/905 */
const cohereRequest = z
  .object({
    model: z.string(),
    texts: z.array(z.string()).max(96),
    input_type: z.string(),
    embedding_types: z.tuple([z.literal('float')]),
    output_dimension: dimensions,
  })
  .refine(({ model, output_dimension: size }) => model !== 'embed-v4.0' || !size || sizesOfEmbed4.includes(size), {
    path: ['output_dimension'],
    error: `This is not a valid output_dimension value for this model, [${sizesOfEmbed4.join(' ')}] is supported`,
  });

/** https://docs.cohere.com/reference/embed @throws ZodError */
function embedAsCohere(body: unknown): Embedded {
  const { model, texts, output_dimension: size } = cohereRequest.parse(body);
  const inputTokens = tokensOf(texts);
  const answer = {
    id: 'sandbox',
    embeddings: { float: texts.map((text) => vectorOf(text, size)) },
    texts,
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: inputTokens } },
  };
  return { model, inputTokens, answer };
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + countTextTokens(text), 0);
}

/** Tokens stand for themselves: each list of them is a text of its own. */
function textsOf(input: z.infer<typeof openaiShape>['input']): string[] {
  if (typeof input === 'string') return [input];
  const [first] = input;
  return typeof first === 'number'
    ? [input.join(' ')]
    : input.map((item) => (Array.isArray(item) ? item.join(' ') : `${item}`));
}

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((number, index) => bytes.writeFloatLE(number, index * 4));
  return bytes.toString('base64');
}

/** A vector of length 1 that a text always gets, and no other text. */
function vectorOf(text: string, dimensions: number = usualDimensions): number[] {
  const numbers = Array.from({ length: dimensions }, (_, index) => numberOf(text, index));
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}

/** Between -1 and 1, and never 0. */
function numberOf(text: string, index: number): number {
  return (createHash('sha256').update(`${index} ${text}`).digest().readUInt32LE() + 0.5) / 0x8000_0000 - 1;
}
