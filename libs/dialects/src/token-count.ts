import type { DialectName, SurfaceName } from '@tollgate/contracts';
import type { Translation, UpstreamRequest, UpstreamTarget } from './provider-dialect';
import { isRecord, parseJson, recordIn } from './wire/json-value';

type Body = Record<string, unknown>;

/**
 * How the providers of a dialect count the input of a request: where, what of the request, and where the
 * number stands.
 */
interface Counting {
  path(path: string): string;
  body(body: Body, target: UpstreamTarget): Body;
  answer: string;
}

const countings: Partial<Record<DialectName, Counting>> = {
  // https://platform.claude.com/docs/en/api/messages/count_tokens
  'anthropic-messages': {
    path: (path) => `${path}/count_tokens`,
    body: (body) =>
      without(body, ['max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'metadata']),
    answer: 'input_tokens',
  },
  // https://platform.openai.com/docs/api-reference/responses/input-tokens
  'openai-responses': {
    path: (path) => `${path}/input_tokens`,
    body: (body) =>
      only(body, [
        ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'],
        ...['truncation', 'personality'],
      ]),
    answer: 'input_tokens',
  },
  // The Gemini API takes a whole request in a member of its own (https://ai.google.dev/api/tokens), Vertex AI
  // some of its members:
  // https://cloud.google.com/vertex-ai/generative-ai/docs/reference/express-mode/rest/v1/publishers.models/countTokens
  gemini: {
    path: (path) => path.replace(/:generateContent$/, ':countTokens'),
    body: (body, { provider, upstreamModel }) =>
      provider.id.startsWith('vertex')
        ? only(body, ['contents', 'systemInstruction', 'tools', 'generationConfig'])
        : { generateContentRequest: { model: `models/${upstreamModel}`, ...body } },
    answer: 'totalTokens',
  },
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
  'bedrock-converse': {
    // Not counted for an inference profile, whose model has the same name without the region.
    path: (path) =>
      path.replace(/^\/model\/(?:[a-z]{2,6}(?:-gov)?\.(?=\w+\.))?(.+)\/converse$/, '/model/$1/count-tokens'),
    body: (body) => ({
      input: { converse: only(body, ['messages', 'system', 'toolConfig', 'additionalModelRequestFields']) },
    }),
    answer: 'inputTokens',
  },
};

/**
 * The request that has the provider itself count the input of a caller's; null where it cannot be asked
 * (Claude at Vertex AI counts at another address, and is not asked).
 * @throws GatewayError 400 naming what it cannot express.
 */
export function tokenCountRequest(
  translation: Translation,
  body: Uint8Array,
  target: UpstreamTarget,
): UpstreamRequest | null {
  const counting = countings[translation.provider];
  if (!counting || target.provider.quirks.modelInPath) return null;
  const { request } = translation.prepare(body, { ...target, stream: false }, { includeUsage: false });
  const asked = parseJson(Buffer.concat(request.body).toString('utf8'));
  if (!isRecord(asked)) return null;
  const told = counting.body(asked, target);
  return { ...request, path: counting.path(request.path), body: [Buffer.from(JSON.stringify(told))] };
}

/** The count in a provider's answer; null where it holds none. */
export function readTokenCount(provider: DialectName, answer: Uint8Array): number | null {
  const counted = recordIn({ answer: parseJson(Buffer.from(answer).toString('utf8')) }, 'answer');
  const value = counted[countings[provider]?.answer ?? ''];
  return Number.isSafeInteger(value) ? Number(value) : null;
}

/**
 * A count as callers of that surface read it. https://platform.claude.com/docs/en/api/messages/count_tokens
 * https://platform.openai.com/docs/api-reference/responses/input-tokens
 */
export function tokenCountAnswer(surface: SurfaceName, inputTokens: number): object {
  return { ...(surface === 'openai-responses' && { object: 'response.input_tokens' }), input_tokens: inputTokens };
}

function only(body: Body, names: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

function without(body: Body, names: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
