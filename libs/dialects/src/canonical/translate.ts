import { GatewayError } from '@tollgate/contracts';
import type { AnswerReader, AttemptOptions, TranslatedRequest, Translation, UpstreamTarget } from '../provider-dialect';
import { isRecord } from '../wire/json-value';
import { holdsMoreValues, parseRequestJson } from '../wire/request-json';
import { AnswerEvents } from './answer-events';
import { DocumentPieces, streamPieces } from './answer-pieces';
import type { AnswerContext, ProviderCodec, SurfaceCodec } from './codec';
import { fitRequest } from './fit-request';
import type { CanonicalRequest, FilePart, MessagePart, ToolDefinition } from './generation-request';
import { GuardedEvents } from './guarded-events';
import { mostOutput } from './most-output';
import { newId } from './new-id';
import { SniffingReader } from './sniffing-reader';
import { ToolNames } from './tool-names';
import { answerWriter, TranslatedAnswerReader } from './translated-answer-reader';
import { audioTokens, fileTokens, imageTokens } from '../tokens/media-tokens';
import { tokensPerMessage } from '../tokens/message-frame';
import { tokensAbout } from '../tokens/text-density';

/** The translation between two different dialects, by way of the canonical generation. */
export function translate(surface: SurfaceCodec, provider: ProviderCodec): Translation {
  return {
    surface: surface.name,
    provider: provider.name,
    prepare: (body, target, options) => {
      const { translated: came } = options;
      const made: NamedRequest = came
        ? { ...came, names: namesIn(came.fitted, provider, target) }
        : translated(surface, provider, body, target);
      const { fitted, names, inputTokensAbout } = made;
      const known = { body: made.body, request: names?.renamed() ?? fitted, names, inputTokensAbout };
      const caller = Object.assign(known, options);
      return { request: made.request, answerReader: () => translatedReader(surface, provider, caller, target) };
    },
    translate: (body, target) => withoutLongTexts(surface, translated(surface, provider, body, target)),
    readError: (...answer) => provider.readError(...answer),
    countInputTokens: (body) => surface.countInputTokens(parseRequestJson(body)),
  };
}

/**
 * While a translation is made nobody else is served. Where bytes pass there are no such bounds. See
 * docs/decisions/0014-large-bodies.md.
 */
const maxParts = 10_000;
const maxValues = 50_000;

/** The members of a message, an item or a part that hold parts of it. */
const partLists = ['content', 'output', 'summary', 'tool_calls'] as const;

/** A caller's request, before it is fitted to a provider. */
interface CallerRequest {
  body: Record<string, unknown>;
  request: CanonicalRequest;
}

function readCaller(surface: SurfaceCodec, bytes: Uint8Array, stream: boolean): CallerRequest {
  if (holdsMoreValues(bytes, maxValues))
    throw new GatewayError(
      400,
      `The request holds more than ${maxValues} JSON values, which is the most that can be translated for this model's provider.`,
    );
  const body = parseRequestJson(bytes);
  if (!isRecord(body)) throw new GatewayError(400, 'The request body must be a JSON object.');
  const turns: unknown = body[surface.turns];
  const parts = Array.isArray(turns) ? partsOf(turns) : 0;
  if (parts > maxParts)
    throw new GatewayError(
      400,
      `The request has ${parts} messages or items, counting each part of their content, but at most ${maxParts} can be translated for this model's provider.`,
    );
  return { body, request: { ...surface.fromRequest(body), stream } };
}

/** How many parts a list comes to: what has none in it counts as one. */
function partsOf(list: readonly unknown[]): number {
  let parts = 0;
  for (const item of list) {
    let within = 0;
    for (const name of isRecord(item) ? partLists : []) {
      const inner: unknown = isRecord(item) ? item[name] : undefined;
      if (Array.isArray(inner)) within += partsOf(inner);
    }
    parts += Math.max(1, within);
  }
  return parts;
}

/** With the names of its tools at the provider; null: their own. */
interface NamedRequest extends TranslatedRequest {
  names: ToolNames | null;
}

function translated(
  surface: SurfaceCodec,
  provider: ProviderCodec,
  bytes: Uint8Array,
  target: UpstreamTarget,
): NamedRequest {
  const { body, request: asked } = readCaller(surface, bytes, target.stream);
  const countInput = (): number => surface.countInputTokens(body);
  const most = mostOutput(target, asked.maxOutputTokens, bytes.byteLength, countInput);
  const { request: fitted, warnings } = fitRequest(asked, provider, target, most);
  const names = namesIn(fitted, provider, target);
  const upstream = provider.toRequest(names?.renamed() ?? fitted, target);
  const request = {
    ...upstream,
    body: [Buffer.from(JSON.stringify(upstream.body))],
    warnings: [...warnings, ...upstream.warnings],
  };
  const isTold = surface.beginsWithUsage && target.stream;
  return { request, body, fitted, names, ...(isTold && { inputTokensAbout: aboutInputTokens(fitted) }) };
}

function namesIn(
  request: CanonicalRequest,
  { toolNames: rule }: ProviderCodec,
  target: UpstreamTarget,
): ToolNames | null {
  return rule ? new ToolNames(request, rule, target.provider.quirks.reservedTools) : null;
}

/** What is longer stands in no name or id that an answer is read with: characters. */
const longText = 512;

/** What can be handed to another thread without much ado. Only texts of the conversation are shortened. */
function withoutLongTexts(
  surface: SurfaceCodec,
  { request, body, fitted, inputTokensAbout }: NamedRequest,
): TranslatedRequest {
  return {
    request,
    ...(inputTokensAbout !== undefined && { inputTokensAbout }),
    body: { ...body, [surface.turns]: shortened(body[surface.turns]) },
    fitted: { ...fitted, messages: fitted.messages.map((message) => shortened(message)) },
  };
}

/** The same value, whose long texts end early; what a model thought keeps its seals. */
function shortened<Value>(value: Value): Value;
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longText ? value.slice(0, longText) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => shortened(item));
  if (!isRecord(value) || value.type === 'reasoning') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

/** Reads a provider's answer, whatever its form, into the caller's dialect and form. */
export function translatedReader(
  surface: SurfaceCodec,
  provider: ProviderCodec,
  caller: CallerRequest & AttemptOptions & { names?: ToolNames | null; inputTokensAbout?: number | undefined },
  target: UpstreamTarget,
): AnswerReader {
  const { request, body, includeUsage, newGate, names, continued, inputTokensAbout } = caller;
  const context: AnswerContext = {
    request,
    body,
    includeUsage,
    model: target.model.id,
    newId,
    nowS: Math.floor(Date.now() / 1000),
    ...(inputTokensAbout !== undefined && { inputTokensAbout }),
  };
  const { name } = target.provider;
  return new SniffingReader(name, request.stream ? 'stream' : 'document', (form) => {
    const events = new AnswerEvents(provider.answerParser({ request, target, newId }), name, names ?? null);
    const pieces = form === 'document' ? new DocumentPieces(events) : streamPieces(provider.framing, events);
    const writer = continued && request.stream ? continued.writerFor(surface, context) : answerWriter(surface, context);
    return new TranslatedAnswerReader(pieces, writer, newGate ? new GuardedEvents(newGate) : null);
  });
}

/**
 * About how many tokens the input of a request has, at a glance: of each text only the beginning is looked
 * at, so that a long prompt takes no longer than a short one. For what must be told before a provider has
 * counted; nothing is charged by it.
 */
function aboutInputTokens({ messages, tools = [] }: Pick<CanonicalRequest, 'messages' | 'tools'>): number {
  let tokens = 0;
  for (const { parts } of messages) {
    tokens += tokensPerMessage;
    for (const part of parts) tokens += ofPart(part);
  }
  for (const tool of tools) tokens += ofTool(tool);
  return Math.ceil(tokens);
}

function ofPart(part: MessagePart): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return tokensAbout(part.text);
    case 'tool-call':
      return tokensAbout(part.name) + tokensAbout(part.arguments);
    case 'tool-result':
      return part.content.reduce((sum, inner) => sum + ofPart(inner), 0);
    case 'image':
      return imageTokens(part.detail);
    case 'audio':
      return audioTokens(dataLength(part));
    case 'file':
      return fileTokens(dataLength(part));
  }
}

function dataLength({ source }: Pick<FilePart, 'source'>): number {
  return source.kind === 'data' ? source.data.length : 0;
}

function ofTool({ name, description = '', parameters }: ToolDefinition): number {
  return tokensAbout(name) + tokensAbout(description) + tokensAbout(parameters ? JSON.stringify(parameters) : '');
}
