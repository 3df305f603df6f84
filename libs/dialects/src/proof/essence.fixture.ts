import type { CanonicalMessage, CanonicalRequest, MediaSource, MessagePart } from '../canonical/generation-request';
import { parseJson } from '../wire/json-value';

/**
 * What a request says, apart from how a dialect cuts it into messages: the measure for what a translation
 * keeps.
 */
export interface Essence {
  texts: string[];
  media: string[];
  calls: unknown[];
  results: string[];
  sealed: unknown[];
  tools: unknown[];
  settings: Record<string, unknown>;
}

export function essenceOf(request: CanonicalRequest): Essence {
  const parts = request.messages.flatMap(partsOf);
  return {
    texts: parts.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? [part.text] : [])),
    media: parts.flatMap((part) =>
      part.type === 'image' || part.type === 'file' || part.type === 'audio' ? [contentOf(part.source)] : [],
    ),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call' ? [[part.id, part.name, parseJson(part.arguments)]] : [],
    ),
    results: parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])),
    sealed: parts.flatMap((part) => (part.type === 'reasoning' && part.seal ? [part.seal] : [])),
    tools: (request.tools ?? []).map(({ name, description, parameters, strict }) => [
      name,
      description ?? null,
      parameters?.properties ?? {},
      strict ?? false,
    ]),
    settings: settingsOf(request),
  };
}

/** The parts of a message, with what stands inside of results behind them. */
function partsOf({ parts }: CanonicalMessage): MessagePart[] {
  return parts.flatMap((part): MessagePart[] => (part.type === 'tool-result' ? [part, ...part.content] : [part]));
}

function contentOf(source: MediaSource): string {
  return source.kind === 'data' ? source.data : source.kind === 'url' ? source.url : source.id;
}

/** By the names of the canonical form. A choice that is the default says nothing. */
function settingsOf(request: CanonicalRequest): Record<string, unknown> {
  const { toolChoice, responseFormat, reasoning } = request;
  const settings = {
    toolChoice: toolChoice?.type === 'auto' ? undefined : toolChoice,
    parallelToolCalls: request.parallelToolCalls === false ? false : undefined,
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    stop: request.stop,
    seed: request.seed,
    logprobs: request.logprobs?.top,
    format: responseFormat?.type === 'json-schema' ? responseFormat.schema.properties : undefined,
    effort: reasoning?.effort,
    budgetTokens: reasoning?.budgetTokens,
    user: request.user,
    metadata: request.metadata,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
