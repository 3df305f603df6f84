import { textOf } from '../answer/pieces';
import type { PlannedAnswer, PlannedBlock, TextBlock } from '../answer/planned-answer';
import { jsonObject } from '../answer/json-object';
import type { Spoken, SpokenUsage } from '../speech/simulated-dialect';
import { adviceBlocks, compactionBlocks, fallbackBlocks, hostedBlocks } from './server-tools';
import type { ServerBlock } from './server-tools';

/** https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'stop-sequence': 'stop_sequence',
  refusal: 'refusal',
  filter: 'refusal',
  broken: 'end_turn',
} as const;

export function stopOf({ finish, stopSequence }: PlannedAnswer): Record<string, unknown> {
  return { stop_reason: stopReasons[finish], stop_sequence: stopSequence };
}

/** What a thought is signed with: itself, and what it was thought on. */
export function signatureOf({ seal }: { seal: string }, { boundTo = null }: Spoken['request']): string {
  return boundTo === null ? seal : `${seal}.${boundTo}`;
}

/**
 * The blocks of an answer, with what the provider's own tools did in front of the text, and what stands for
 * the conversation in front of all.
 */
export function contentBlocks({ choices, request, model, newId }: Spoken): readonly (PlannedBlock | ServerBlock)[] {
  const [{ blocks, hosted }] = choices;
  const kinds = (request.samplings ?? []).map(({ kind }) => kind);
  const id = (): string => newId().slice(0, 24);
  const done = [
    ...hosted.flatMap((tool) => hostedBlocks(tool, id())),
    ...(kinds.includes('advisor_message') ? adviceBlocks(id()) : []),
  ];
  const at = blocks.findIndex(({ type }) => type === 'text');
  const told = at < 0 ? blocks : [...blocks.slice(0, at), ...done, ...blocks.slice(at)];
  const { answeredBy } = request;
  return [
    ...(kinds.includes('compaction') ? compactionBlocks() : []),
    ...(answeredBy === undefined ? [] : fallbackBlocks(model, answeredBy)),
    ...told,
  ];
}

/** A block of a whole answer. */
export function contentOf(block: PlannedBlock, request: Spoken['request']): Record<string, unknown> {
  const text = textOf(block.pieces);
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted
        ? { type: 'redacted_thinking', data: block.seal }
        : { type: 'thinking', thinking: text, signature: signatureOf(block, request) };
    case 'text':
      return { type: 'text', text, ...(block.citations.length > 0 && { citations: citationsOf(block) }) };
    case 'refusal':
      return { type: 'text', text };
    case 'tool-call':
      return { type: 'tool_use', id: toolUseId(block.id), name: block.name, input: jsonObject(text) };
  }
}

export function toolUseId(id: string): string {
  return `toolu_${id}`;
}

/** https://platform.claude.com/docs/en/build-with-claude/citations */
export function citationsOf({ citations }: TextBlock): Record<string, unknown>[] {
  return citations.map(({ index, title, text, url }) => {
    if (url !== null)
      return { type: 'web_search_result_location', url, title, encrypted_index: 'ZXhhbXBsZQ==', cited_text: text };
    return {
      type: 'char_location',
      cited_text: text,
      document_index: index,
      document_title: title === '' ? null : title,
      start_char_index: 0,
      end_char_index: text.length,
      file_id: null,
    };
  });
}

/** What a cache gave and took is counted apart here, and what served the request is told. */
export function inputUsage(
  { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens }: SpokenUsage,
  { served = [], boughtTier }: Spoken['request'],
): Record<string, unknown> {
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens - cacheWrite1hTokens,
      ephemeral_1h_input_tokens: cacheWrite1hTokens,
    },
    service_tier: boughtTier ?? 'standard',
    ...(served.includes('fast') && { speed: 'fast' }),
    inference_geo: served.includes('us') ? 'us' : 'global',
  };
}
