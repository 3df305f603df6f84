import { countTextTokens } from '@tollgate/dialects';
import { z } from 'zod';
import { vectorOf } from './vector-of';

const dimensions = z.number().int().positive().optional();

const openaiRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()), z.array(z.number()), z.array(z.array(z.number()))]),
  encoding_format: z.enum(['float', 'base64']).default('float'),
  dimensions,
});

/** https://platform.openai.com/docs/api-reference/embeddings/create @throws ZodError for a request that is none. */
export function embedAsOpenai(body: unknown): object {
  const request = openaiRequest.parse(body);
  const texts = textsOf(request.input);
  const tokens = texts.reduce((sum, text) => sum + countTextTokens(text), 0);
  return {
    object: 'list',
    data: texts.map((text, index) => {
      const vector = vectorOf(text, request.dimensions);
      const embedding = request.encoding_format === 'float' ? vector : base64Of(vector);
      return { object: 'embedding', index, embedding };
    }),
    model: request.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

const geminiRequest = z.object({
  requests: z.array(
    z.object({
      content: z.object({ parts: z.array(z.object({ text: z.string() })) }),
      outputDimensionality: dimensions,
    }),
  ),
});

/** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents It counts no tokens, as gemini-embedding-001. @throws ZodError */
export function embedAsGemini(body: unknown): object {
  const { requests } = geminiRequest.parse(body);
  return {
    embeddings: requests.map(({ content, outputDimensionality }) => ({
      values: vectorOf(content.parts.map(({ text }) => text).join(''), outputDimensionality),
    })),
  };
}

const cohereRequest = z.object({
  texts: z.array(z.string()).max(96),
  input_type: z.string(),
  embedding_types: z.tuple([z.literal('float')]),
  output_dimension: dimensions,
});

/** https://docs.cohere.com/reference/embed @throws ZodError */
export function embedAsCohere(body: unknown): object {
  const { texts, output_dimension: size } = cohereRequest.parse(body);
  const tokens = texts.reduce((sum, text) => sum + countTextTokens(text), 0);
  return {
    id: 'sandbox',
    embeddings: { float: texts.map((text) => vectorOf(text, size)) },
    texts,
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: tokens } },
  };
}

/** Tokens stand for themselves: each list of them is a text of its own. */
function textsOf(input: z.infer<typeof openaiRequest>['input']): string[] {
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
