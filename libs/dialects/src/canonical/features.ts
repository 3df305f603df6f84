import type { CanonicalRequest, MediaSource, MessagePart, ToolResultPart } from './generation-request';

/** True when a request uses the feature. */
type Detector = (request: CanonicalRequest) => boolean;

/**
 * Everything a request may ask for beyond plain text messages, each with the test that finds it. Provider
 * codecs say for each one whether it is mapped, dropped or refused:
 * this list is what keeps a translation from losing anything in silence.
 */
export const featureDetectors = {
  'message name': (request) => request.messages.some((message) => message.name !== undefined),
  'system message after the first turn': hasLateSystemMessage,
  'image by data': (request) => hasMedia(request, 'image', 'data'),
  'image by URL': (request) => hasMedia(request, 'image', 'url'),
  'image by file id': (request) => hasMedia(request, 'image', 'file-id'),
  'image detail': (request) => parts(request).some((part) => part.type === 'image' && part.detail !== undefined),
  'file by data': (request) => hasMedia(request, 'file', 'data'),
  'file by URL': (request) => hasMedia(request, 'file', 'url'),
  'file by file id': (request) => hasMedia(request, 'file', 'file-id'),
  'audio input': (request) => parts(request).some((part) => part.type === 'audio'),
  'refusal of an earlier turn': (request) => parts(request).some((part) => part.type === 'refusal'),
  'unsealed reasoning of an earlier turn': (request) =>
    parts(request).some((part) => part.type === 'reasoning' && part.seal === undefined),
  tools: (request) => (request.tools?.length ?? 0) > 0,
  'strict tool': (request) => request.tools?.some((tool) => tool.strict === true) ?? false,
  'code execution': (request) => request.codeExecution === true,
  'web search': (request) => request.webSearch !== undefined,
  'web search of named domains only': (request) => request.webSearch?.allowedDomains !== undefined,
  'web search without named domains': (request) => request.webSearch?.blockedDomains !== undefined,
  'limit of web searches': (request) => request.webSearch?.maxUses !== undefined,
  'location of a web search': (request) => request.webSearch?.location !== undefined,
  'size of a web search': (request) => request.webSearch?.contextSize !== undefined,
  'tool choice web search': (request) => request.toolChoice?.type === 'web-search',
  'tool choice none': (request) => request.toolChoice?.type === 'none',
  'tool choice required': (request) => request.toolChoice?.type === 'required',
  'tool choice by name': (request) => request.toolChoice?.type === 'tool',
  'parallel tool calls off': (request) => request.parallelToolCalls === false,
  'image in a tool result': (request) =>
    results(request).some((part) => part.content.some(({ type }) => type === 'image')),
  'file in a tool result': (request) =>
    results(request).some((part) => part.content.some(({ type }) => type === 'file')),
  'failed tool result': (request) => results(request).some((part) => part.isError === true),
  'cache control': hasCacheControl,
  'maximum of output tokens': (request) => request.maxOutputTokens !== undefined,
  temperature: (request) => request.temperature !== undefined,
  'top p': (request) => request.topP !== undefined,
  'top k': (request) => request.topK !== undefined,
  'stop sequences': (request) => (request.stop?.length ?? 0) > 0,
  seed: (request) => request.seed !== undefined,
  'several choices': (request) => (request.choices ?? 1) > 1,
  'presence penalty': (request) => isSet(request.presencePenalty),
  'frequency penalty': (request) => isSet(request.frequencyPenalty),
  'log probabilities': (request) => request.logprobs !== undefined,
  'JSON object': (request) => request.responseFormat?.type === 'json-object',
  'JSON schema': (request) => request.responseFormat?.type === 'json-schema',
  'reasoning effort': (request) => request.reasoning?.effort !== undefined,
  'reasoning budget': (request) => request.reasoning?.budgetTokens !== undefined,
  'reasoning off': (request) => request.reasoning?.off === true,
  'adaptive reasoning': (request) => request.reasoning?.adaptive === true,
  'reasoning summary': (request) => isSummaryAsked(request),
  'end user': (request) => request.user !== undefined,
  metadata: (request) => request.metadata !== undefined,
} satisfies Record<string, Detector>;

export type Feature = keyof typeof featureDetectors;
export const features = Object.keys(featureDetectors) as readonly Feature[];

/** What is looked at again and again of the messages of one request. */
interface Contents {
  parts: readonly MessagePart[];
  results: readonly ToolResultPart[];
  media: readonly (MessagePart | ToolResultPart['content'][number])[];
}

/**
 * By the list of messages, which is never changed but replaced: 49,000 of them are gone through once, not for
 * each feature.
 */
const known = new WeakMap<CanonicalRequest['messages'], Contents>();

function contents({ messages }: CanonicalRequest): Contents {
  let found = known.get(messages);
  if (!found) known.set(messages, (found = lookThrough(messages)));
  return found;
}

/** A text without anything beside it is no feature. */
function lookThrough(messages: CanonicalRequest['messages']): Contents {
  const parts: MessagePart[] = [];
  for (const message of messages)
    for (const part of message.parts) if (part.type !== 'text' || part.cacheControl !== undefined) parts.push(part);
  const results = parts.filter((part) => part.type === 'tool-result');
  return { parts, results, media: [...parts, ...results.flatMap(({ content }) => content)] };
}

function parts(request: CanonicalRequest): readonly MessagePart[] {
  return contents(request).parts;
}

function results(request: CanonicalRequest): readonly ToolResultPart[] {
  return contents(request).results;
}

function hasMedia(request: CanonicalRequest, type: 'image' | 'file', kind: MediaSource['kind']): boolean {
  return contents(request).media.some((part) => part.type === type && part.source.kind === kind);
}

function hasLateSystemMessage({ messages }: CanonicalRequest): boolean {
  const firstTurn = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  return firstTurn >= 0 && messages.slice(firstTurn).some(({ role }) => role === 'system' || role === 'developer');
}

function hasCacheControl(request: CanonicalRequest): boolean {
  return (
    parts(request).some((part) => part.cacheControl !== undefined) ||
    (request.tools?.some((tool) => tool.cacheControl !== undefined) ?? false)
  );
}

/** A penalty of 0 is every provider's default. */
function isSet(penalty: number | undefined): boolean {
  return penalty !== undefined && penalty !== 0;
}

function isSummaryAsked({ reasoning }: CanonicalRequest): boolean {
  return reasoning?.summary !== undefined && reasoning.summary !== 'none';
}
