import type { Feature } from './features';
import type {
  CanonicalMessage,
  CanonicalRequest,
  MediaSource,
  MessagePart,
  ToolResultPart,
} from './generation-request';
import type { WebSearch } from './web-search';

type Remover = (request: CanonicalRequest) => CanonicalRequest;

/**
 * The request without one feature; a feature that it does not use changes nothing. For features that a
 * provider drops.
 */
export function withoutFeature(request: CanonicalRequest, feature: Feature): CanonicalRequest {
  return removers[feature](request);
}

const removers: Record<Feature, Remover> = {
  'message name': eachMessage(({ name: _name, ...message }) => message),
  'system message after the first turn': (request) => ({
    ...request,
    messages: request.messages.filter((message, index) => !isLateSystem(request.messages, message, index)),
  }),
  'image by data': withoutMedia('image', 'data'),
  'image by URL': withoutMedia('image', 'url'),
  'image by file id': withoutMedia('image', 'file-id'),
  'image detail': eachPart((part) => {
    if (part.type !== 'image') return part;
    const { detail: _detail, ...image } = part;
    return image;
  }),
  'file by data': withoutMedia('file', 'data'),
  'file by URL': withoutMedia('file', 'url'),
  'file by file id': withoutMedia('file', 'file-id'),
  'audio input': withoutParts((part) => part.type === 'audio'),
  'refusal of an earlier turn': withoutParts((part) => part.type === 'refusal'),
  'unsealed reasoning of an earlier turn': withoutParts((part) => part.type === 'reasoning' && part.seal === undefined),
  tools: without('tools'),
  'strict tool': eachTool(({ strict: _strict, ...tool }) => tool),
  'code execution': without('codeExecution'),
  'web search': (request) =>
    (request.toolChoice?.type === 'web-search' ? without('toolChoice') : same)(without('webSearch')(request)),
  'web search of named domains only': withoutSearch('allowedDomains'),
  'web search without named domains': withoutSearch('blockedDomains'),
  'limit of web searches': withoutSearch('maxUses'),
  'location of a web search': withoutSearch('location'),
  'size of a web search': withoutSearch('contextSize'),
  'tool choice web search': without('toolChoice'),
  'tool choice none': without('toolChoice'),
  'tool choice required': without('toolChoice'),
  'tool choice by name': without('toolChoice'),
  'parallel tool calls off': without('parallelToolCalls'),
  'image in a tool result': eachResult((result) => ({
    ...result,
    content: result.content.filter(({ type }) => type !== 'image'),
  })),
  'file in a tool result': eachResult((result) => ({
    ...result,
    content: result.content.filter(({ type }) => type !== 'file'),
  })),
  'failed tool result': eachResult(({ isError: _isError, ...result }) => result),
  'cache control': (request) =>
    eachTool(({ cacheControl: _control, ...tool }) => tool)(
      eachPart(({ cacheControl: _control, ...part }) => part)(request),
    ),
  'maximum of output tokens': without('maxOutputTokens'),
  temperature: without('temperature'),
  'top p': without('topP'),
  'top k': without('topK'),
  'stop sequences': without('stop'),
  seed: without('seed'),
  'several choices': without('choices'),
  'presence penalty': without('presencePenalty'),
  'frequency penalty': without('frequencyPenalty'),
  'log probabilities': without('logprobs'),
  'JSON object': without('responseFormat'),
  'JSON schema': without('responseFormat'),
  'reasoning effort': withoutReasoning('effort'),
  'reasoning budget': withoutReasoning('budgetTokens'),
  'reasoning off': withoutReasoning('off'),
  'adaptive reasoning': withoutReasoning('adaptive'),
  'reasoning summary': withoutReasoning('summary'),
  'end user': without('user'),
  metadata: without('metadata'),
};

function without(name: keyof CanonicalRequest): Remover {
  return (request) => {
    const rest = { ...request };
    delete rest[name];
    return rest;
  };
}

function same(request: CanonicalRequest): CanonicalRequest {
  return request;
}

function withoutSearch(name: Exclude<keyof WebSearch, 'isDispensable'>): Remover {
  return (request) => {
    if (!request.webSearch) return request;
    const webSearch = { ...request.webSearch };
    delete webSearch[name];
    return { ...request, webSearch };
  };
}

function withoutReasoning(name: keyof NonNullable<CanonicalRequest['reasoning']>): Remover {
  return (request) => {
    const reasoning = { ...request.reasoning };
    delete reasoning[name];
    return Object.keys(reasoning).length > 0 ? { ...request, reasoning } : without('reasoning')(request);
  };
}

function eachMessage(change: (message: CanonicalMessage) => CanonicalMessage): Remover {
  return (request) => ({ ...request, messages: request.messages.map(change) });
}

function eachPart(change: (part: MessagePart) => MessagePart): Remover {
  return eachMessage((message) => ({ ...message, parts: message.parts.map(change) }));
}

function withoutParts(isGone: (part: MessagePart) => boolean): Remover {
  return eachMessage((message) => ({ ...message, parts: message.parts.filter((part) => !isGone(part)) }));
}

function withoutMedia(type: 'image' | 'file', kind: MediaSource['kind']): Remover {
  const isGone = (part: MessagePart): boolean => part.type === type && part.source.kind === kind;
  const outside = withoutParts(isGone);
  const inside = eachResult((result) => ({ ...result, content: result.content.filter((part) => !isGone(part)) }));
  return (request) => inside(outside(request));
}

function eachResult(change: (result: ToolResultPart) => MessagePart): Remover {
  return eachPart((part) => (part.type === 'tool-result' ? change(part) : part));
}

function eachTool(
  change: (tool: NonNullable<CanonicalRequest['tools']>[number]) => NonNullable<CanonicalRequest['tools']>[number],
): Remover {
  return (request) => (request.tools ? { ...request, tools: request.tools.map(change) } : request);
}

function isLateSystem(messages: readonly CanonicalMessage[], { role }: CanonicalMessage, index: number): boolean {
  if (role !== 'system' && role !== 'developer') return false;
  return messages.slice(0, index).some((before) => before.role !== 'system' && before.role !== 'developer');
}
