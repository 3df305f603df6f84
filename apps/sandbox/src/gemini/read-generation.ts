import { inputOf } from '../request/input-text';
import { unasked, webPage } from '../request/neutral-request';
import type { NeutralRequest } from '../request/neutral-request';
import { memberOf, objects, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { lookBack } from '../request/turns';
import type { Addressed } from '../speech/simulated-dialect';
import { demandFields } from './demand-fields';
import { readLongAnswer } from './long-answer';
import type { LongAnswer } from './long-answer';
import { readConfig } from './read-config';
import { readContents } from './read-contents';
import { readCalling, readTools } from './read-tools';

const knownFields = [
  'model',
  'contents',
  'systemInstruction',
  'system_instruction',
  'tools',
  'toolConfig',
  'tool_config',
  'safetySettings',
  'safety_settings',
  'generationConfig',
  'generation_config',
  'cachedContent',
  'cached_content',
  'labels',
  'store',
  'serviceTier',
  'service_tier',
  'continuationToken',
];

const methods = ['generateContent', 'streamGenerateContent'];

/** Shorter prompts are not cached. https://ai.google.dev/gemini-api/docs/caching#implicit-caching */
const leastCachedTokens = 1_024;

/** A generateContent request. */
export interface GenerationRequest extends NeutralRequest {
  /** The stream is events; else one JSON array. */
  isEvents: boolean;
  isThirdGeneration: boolean;
  /** What serves it; null at Vertex AI, which calls it otherwise. */
  tier: string | null;
  /** Null: its model writes none that is longer than one request. */
  longAnswer: LongAnswer | null;
}

/**
 * Reads a generateContent request as strictly as Google, with the model and the method in the address.
 * https://ai.google.dev/api/generate-content
 * @throws Refusal
 */
export function readGeneration(body: Record<string, unknown>, addressed: Addressed): GenerationRequest {
  const [model = '', method = ''] = (addressed.model ?? '').split(/:(?=\w+$)/);
  demand(
    methods.includes(method),
    `models/${model} is not found for API version v1beta, or is not supported for ${method}.`,
    {
      status: 404,
    },
  );
  demandFields(body, knownFields, '');
  const config = readConfig(
    memberOf(body, body.generationConfig === undefined ? 'generation_config' : 'generationConfig'),
    model,
  );
  const contents = objects(body.contents, 'contents');
  demand(contents.length > 0, '* GenerateContentRequest.contents: contents is not specified\n');
  checkInstruction(body.systemInstruction ?? body.system_instruction);
  demand(body.cachedContent === undefined, 'CachedContent not found (or permission denied)', { status: 403 });
  const isThirdGeneration = isThird(model);
  const isVertex = addressed.path.includes('publishers');
  demand(
    body.labels === undefined || isVertex,
    'Invalid JSON payload received. Unknown name "labels": Cannot find field.',
  );
  // https://ai.google.dev/api/generate-content: "Configures the logging behavior for a given request"; Vertex
  // AI has no such field.
  demand(
    body.store === undefined || (typeof body.store === 'boolean' && !isVertex),
    `Invalid value at 'store' (TYPE_BOOL), ${JSON.stringify(body.store)}`,
  );
  const tier = readTier(body, isVertex);
  const offered = optionalObjects(body.tools, 'tools');
  const tools = readTools(offered);
  const calling = memberOf(body, body.toolConfig === undefined ? 'tool_config' : 'toolConfig');
  if (tools.length > 0) checkBuiltIn(offered, calling, isThirdGeneration);
  const searchesWeb = offered.some(({ googleSearch }) => isRecord(googleSearch));
  const isJson = config.schema !== null;
  demand(
    !isJson || tools.length === 0 || isThirdGeneration,
    "Function calling with a response mime type: 'application/json' is unsupported",
  );
  const stream = method === 'streamGenerateContent';
  const longAnswer = readLongAnswer(body, { model, stream, maxTokens: config.maxTokens });
  const { audio, ...seen } = mediaIn(contents);
  const input = inputOf(body.systemInstruction ?? '', contents, body.tools ?? []);
  return {
    ...unasked,
    ...config,
    maxTokens: longAnswer ? longAnswer.room : config.maxTokens,
    longAnswer,
    ...input,
    inputTokens: input.inputTokens + audio + seen.image + seen.video,
    audioInputTokens: audio,
    seen,
    model,
    stream,
    isEvents: new URLSearchParams(addressed.query).get('alt') === 'sse',
    isThirdGeneration,
    ...lookBack(readContents(contents, { isThirdGeneration, isVertex })),
    tools,
    toolChoice: readCalling(body.toolConfig ?? body.tool_config, tools),
    sources: searchesWeb ? [webPage] : [],
    hosted: searchesWeb ? ['webSearch'] : [],
    served: tier === 'standard' ? [] : [tier],
    tier: isVertex ? null : tier,
    cached: input.inputTokens < leastCachedTokens ? null : cachedParts(body, contents),
  };
}

/**
 * Google's own tools beside the caller's functions: never before the third generation,
 * https://github.com/lobehub/lobehub/pull/7463 and then for callers who say that they show the calls of both
 * again. https://github.com/googleapis/js-genai/issues/1425
 * @throws Refusal
 */
function checkBuiltIn(
  offered: readonly Record<string, unknown>[],
  calling: Record<string, unknown>,
  isThirdGeneration: boolean,
): void {
  const areBuiltIn = offered.some((tool) => Object.keys(tool).some((kind) => kind !== 'functionDeclarations'));
  demand(!areBuiltIn || isThirdGeneration, 'Tool use with function calling is unsupported');
  demand(
    !areBuiltIn || calling.includeServerSideToolInvocations === true,
    'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
  );
}

/** A name without a version, such as gemini-flash-latest, stands for the newest. */
function isThird(model: string): boolean {
  return /gemini-(?:[3-9]|[a-z])/.test(model);
}

function checkInstruction(instruction: unknown): void {
  if (instruction === undefined) return;
  const parts = objects(isRecord(instruction) ? instruction.parts : undefined, 'system_instruction.parts');
  for (const part of parts) demand(typeof part.text === 'string', 'system_instruction: only text is supported.');
}

/**
 * The tier that serves a request: the one that is asked for.
 * https://ai.google.dev/gemini-api/docs/flex-inference
 * https://ai.google.dev/gemini-api/docs/priority-inference Vertex AI is asked in a header instead.
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/priority-paygo @throws Refusal
 */
function readTier(body: Record<string, unknown>, isVertex: boolean): string {
  const asked = body.serviceTier ?? body.service_tier;
  if (asked === undefined) return 'standard';
  demand(!isVertex, 'Invalid JSON payload received. Unknown name "serviceTier": Cannot find field.');
  const tier = typeof asked === 'string' ? asked.toLowerCase().replace(/^service_tier_/, '') : '';
  demand(['unspecified', 'standard', 'flex', 'priority'].includes(tier), `Invalid value at 'service_tier': "${tier}"`);
  return tier === 'unspecified' ? 'standard' : tier;
}

/**
 * Tokens of what is no text: every picture here is small, and every recording and film lasts a second.
 * https://ai.google.dev/gemini-api/docs/tokens
 */
const tokensOfMedia = { audio: 32, image: 258, video: 263 };

function mediaIn(contents: readonly Record<string, unknown>[]): typeof tokensOfMedia {
  const parts = contents.flatMap(({ parts: all }) => optionalObjects(all, 'contents.parts'));
  const types = parts.map(({ inlineData }) => (isRecord(inlineData) ? textIn(inlineData.mimeType) : ''));
  const of = (kind: keyof typeof tokensOfMedia): number =>
    tokensOfMedia[kind] * types.filter((type) => type.startsWith(`${kind}/`)).length;
  return { audio: of('audio'), image: of('image'), video: of('video') };
}

function cachedParts({ systemInstruction, tools }: Record<string, unknown>, contents: readonly unknown[]): string[] {
  return [systemInstruction ?? '', tools ?? [], ...contents].map((part) => JSON.stringify(part));
}
