import type { ProviderRequest } from '../canonical/codec';
import { describedSchema } from '../canonical/described-schema';
import type { CanonicalRequest, CanonicalMessage, MessagePart } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import { ToolNames } from '../canonical/tool-names';
import type { UpstreamTarget } from '../provider-dialect';
import { defined } from '../wire/json-value';
import { geminiNames } from './gemini-names';
import { limitWithUsed, resumedAnswer } from './long-answer';
import { modelFacts, type ModelFacts } from './model-facts';
import { type Part, PartWriter } from './part-writer';
import { toGeminiSchema } from './to-schema';
import { toThinkingConfig } from './to-thinking';
import { toTools } from './to-tools';
import { openingText, openingTold } from '../canonical/opening-turn';

/**
 * What Google names for calls of another model's or a lost signature:
 * https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const unsigned = 'skip_thought_signature_validator';

/** OpenAI's words for the tier that everybody gets, which Google gives without being asked. */
const usual: readonly unknown[] = [undefined, null, 'auto', 'default'];
/**
 * What Google sells beside it, by OpenAI's words. https://ai.google.dev/gemini-api/docs/flex-inference
 * https://ai.google.dev/gemini-api/docs/priority-inference
 */
const sold: Readonly<Record<string, string>> = { flex: 'flex', priority: 'priority', fast: 'priority' };

/** A request of generateContent or streamGenerateContent. https://ai.google.dev/api/generate-content */
export function toGeminiRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const warnings = new Set<string>();
  const warn = (warning: string): void => void warnings.add(warning);
  const facts = modelFacts(target);
  const names = new ToolNames(request, geminiNames);
  const writer = new PartWriter({
    names,
    calls: callsOf(request),
    takesIds: facts.isThirdGeneration,
    takesMediaResults: facts.isThirdGeneration,
    warn,
  });
  const { messages, continuation } = resumedAnswer(request.messages, target, warn);
  const { instruction, contents } = toContents(messages, writer, warn);
  const format = toResponseFormat(request, facts, warn);
  const systemParts = [...instruction, ...format.instruction];
  const generationConfig = defined({
    ...toGenerationConfig(request, warn),
    ...(continuation && { maxOutputTokens: limitWithUsed(request.maxOutputTokens, continuation, target) }),
    ...format.fields,
    thinkingConfig: toThinkingConfig(request.reasoning, target, warn),
  });
  return {
    path: geminiPath(target, request.stream),
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
    },
    body: {
      contents: facts.isThirdGeneration ? withSignatures(contents) : contents,
      ...(systemParts.length > 0 && { systemInstruction: { parts: systemParts } }),
      ...toTools(request, names, warn),
      ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
      ...toServiceTier(request.extra?.service_tier, target, warn),
      ...(target.provider.quirks.keepsUnlessTold && { store: false }),
      ...(continuation && { continuationToken: continuation.token }),
    },
    warnings: [...warnings],
  };
}

function callsOf({ messages }: CanonicalRequest): Map<string, { name: string; place: number }> {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
  return new Map(calls.map(({ id, name }, place) => [id, { name, place }]));
}

/**
 * The path of a generation. The Gemini API has its models below the version
 * (https://ai.google.dev/api/generate-content), Vertex AI below a publisher, which is part of its base URL
 * (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference); from there on both are
 * the same. Without `alt=sse` a stream is one JSON array.
 */
function geminiPath({ upstreamModel }: UpstreamTarget, stream: boolean): string {
  const model = `/models/${encodeURIComponent(upstreamModel)}`;
  return stream ? `${model}:streamGenerateContent?alt=sse` : `${model}:generateContent`;
}

/**
 * The tier that is to serve a request; `asked` is OpenAI's `service_tier`. What Google does not sell is
 * dropped and told.
 */
function toServiceTier(
  asked: unknown,
  { provider }: UpstreamTarget,
  warn: (warning: string) => void,
): { serviceTier?: string } {
  if (usual.includes(asked)) return {};
  const tier = typeof asked === 'string' ? sold[asked] : undefined;
  if (tier !== undefined && provider.quirks.takesServiceTier) return { serviceTier: tier };
  warn(`service_tier was dropped: ${provider.name} does not take it`);
  return {};
}

/**
 * From Gemini 3 on, the first call of each turn must be signed. Turns that another model wrote, or whose
 * signatures a client has lost, are marked so that Gemini goes on without.
 */
function withSignatures(contents: readonly Content[]): Content[] {
  return contents.map(({ role, parts }) => {
    const first = parts.find((part) => 'functionCall' in part);
    if (role !== 'model' || first === undefined || 'thoughtSignature' in first) return { role, parts };
    return { role, parts: parts.map((part) => (part === first ? { ...part, thoughtSignature: unsigned } : part)) };
  });
}

/** How an answer is bound to JSON: by fields of the generation, or in words of the instruction. */
interface GeminiFormat {
  fields: Record<string, unknown>;
  instruction: Part[];
}

/**
 * Before Gemini 3, JSON and tools exclude each other.
 * https://ai.google.dev/gemini-api/docs/structured-output#structured_outputs_with_tools
 */
function toResponseFormat(
  { responseFormat, tools = [] }: CanonicalRequest,
  { isThirdGeneration }: ModelFacts,
  warn: (warning: string) => void,
): GeminiFormat {
  if (responseFormat === undefined || responseFormat.type === 'text') return { fields: {}, instruction: [] };
  if (tools.length > 0 && !isThirdGeneration) {
    warn('the JSON format was asked for in words and is not enforced: this model does not take it beside tools');
    return { fields: {}, instruction: [{ text: inWords(responseFormat) }] };
  }
  const fields: Record<string, unknown> = { responseMimeType: 'application/json' };
  if (responseFormat.type === 'json-object') return { fields, instruction: [] };
  const { schema, reworded } = toGeminiSchema(describedSchema(responseFormat));
  if (reworded.length > 0) warn(`${reworded.join(', ')} in the JSON schema: told to the model in words, not enforced`);
  return { fields: { ...fields, responseJsonSchema: schema }, instruction: [] };
}

function inWords(format: Exclude<CanonicalRequest['responseFormat'], undefined | { type: 'text' }>): string {
  const what = 'When you do not call a tool, answer with';
  return format.type === 'json-object'
    ? `${what} one JSON object and nothing else: no words around it and no code fence.`
    : `${what} one JSON value and nothing else, no code fence. It must fit this JSON schema: ${JSON.stringify(describedSchema(format))}`;
}

type Warn = (warning: string) => void;

/** https://ai.google.dev/api/generate-content#GenerationConfig */
const mostStopSequences = 5;

/**
 * The sampling and the limits of `generationConfig`.
 * @throws GatewayError 400 for too many stop sequences.
 */
function toGenerationConfig(request: CanonicalRequest, warn: Warn): Record<string, unknown> {
  const { maxOutputTokens, temperature, topP, topK, choices, logprobs } = request;
  return {
    maxOutputTokens,
    temperature,
    topP,
    topK,
    stopSequences: stopSequences(request.stop),
    seed: seedOf(request.seed, warn),
    candidateCount: choices === 1 ? undefined : choices,
    presencePenalty: penaltyOf('presence penalty', request.presencePenalty, warn),
    frequencyPenalty: penaltyOf('frequency penalty', request.frequencyPenalty, warn),
    responseLogprobs: logprobs && true,
    logprobs: logprobs && logprobs.top > 0 ? logprobs.top : undefined,
  };
}

function stopSequences(stop: readonly string[] = []): string[] | undefined {
  const sequences = stop.filter((sequence) => sequence !== '');
  if (sequences.length > mostStopSequences)
    throw invalid('stop', `holds ${sequences.length} sequences; Gemini takes ${mostStopSequences}`);
  return sequences.length === 0 ? undefined : sequences;
}

/** A seed is a number of 32 bits. */
function seedOf(seed: number | undefined, warn: Warn): number | undefined {
  if (seed === undefined || seed === (seed | 0)) return seed;
  warn('seed was dropped: Gemini takes whole numbers of 32 bits');
  return undefined;
}

/**
 * From -2 up to, but not including, 2.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerationConfig
 */
function penaltyOf(name: string, penalty: number | undefined, warn: Warn): number | undefined {
  if (penalty === undefined || penalty < 2) return penalty === 0 ? undefined : penalty;
  warn(`${name} was changed to 1.99: Gemini takes less than 2`);
  return 1.99;
}

/** One turn. https://ai.google.dev/api/caching#Content */
interface Content {
  role: 'user' | 'model';
  parts: Part[];
}

/** The instruction's parts, and turns that alternate. */
interface Conversation {
  instruction: Part[];
  contents: Content[];
}

/**
 * Puts messages into Gemini's turns: neighbours of one role are joined, and the results of tools stand
 * together at the front of the user's turn, as many as the calls before it.
 * System and developer messages have a place of their own, in their order. @throws GatewayError 400 when
 * nothing is said at all.
 */
function toContents(
  messages: readonly CanonicalMessage[],
  writer: PartWriter,
  warn: (warning: string) => void,
): Conversation {
  const instruction: Part[] = [];
  const contents: Content[] = [];
  for (const { role, parts } of messages) {
    if (role === 'system' || role === 'developer') {
      if (contents.length > 0) warn(`a ${role} message was moved to the front: Gemini takes instructions only there`);
      instruction.push(...instructionParts(parts, writer));
      continue;
    }
    const written = writer.parts(parts);
    if (written.length > 0) addTurn(contents, { role: role === 'assistant' ? 'model' : 'user', parts: written });
    else if (!parts.some(({ type }) => type === 'reasoning'))
      warn('a message without content was left out: Gemini refuses it');
  }
  // Calls alone must follow somebody: https://github.com/mastra-ai/mastra/issues/7231
  if (contents[0]?.role === 'model' && contents[0].parts.some((part) => 'functionCall' in part)) {
    contents.unshift({ role: 'user', parts: [{ text: openingText }] });
    warn(openingTold);
  }
  if (contents.length > 0)
    return { instruction, contents: contents.map(({ role, parts }) => ({ role, parts: writer.resultsFirst(parts) })) };
  if (instruction.length === 0) throw invalid('messages', 'hold nothing that could be answered');
  warn("the system message was sent as the user's: Gemini answers no instruction alone");
  return { instruction: [], contents: [{ role: 'user', parts: instruction }] };
}

function addTurn(contents: Content[], turn: Content): void {
  const last = contents.at(-1);
  if (last?.role === turn.role) last.parts.push(...turn.parts);
  else contents.push(turn);
}

/** An instruction is text: https://ai.google.dev/api/generate-content#request-body */
function instructionParts(parts: readonly MessagePart[], writer: PartWriter): Part[] {
  const other = parts.find((part) => part.type !== 'text');
  if (other)
    throw invalid('messages', `holds a system message with a part of the type ${other.type}; Gemini takes text there`);
  return writer.parts(parts);
}
