import type { GenerationRequest, ProviderDefinition } from '@tollgate/contracts';

/** What a provider takes of a header `anthropic-beta`, null where nothing is left, and what it does not. */
export function takenBetas(
  header: string,
  { quirks }: ProviderDefinition,
): { taken: string | null; dropped: readonly string[] } {
  const names = namesIn(header);
  const dropped = names.filter((name) => quirks.dropBetas.includes(name));
  if (dropped.length === 0) return { taken: header, dropped };
  const taken = names.filter((name) => !dropped.includes(name)).join(',');
  return { taken: taken === '' ? null : taken, dropped };
}

/**
 * Betas of Anthropic's that change an answer by themselves, without a field in the body: what comes of
 * thoughts, how arguments of calls are streamed, how long a prompt or an answer may be. The others stand for
 * fields, whose own fate is told.
 * https://platform.claude.com/docs/en/api/beta-headers
 */
const tellsAlone =
  /^(?:redact-thinking|thinking-token-count|fine-grained-tool-streaming|token-efficient-tools|context-1m|output-\d+k)-/;

/**
 * What a caller must hear of betas: those that the provider does not take, and, where the request goes in
 * another format (`passes` false), those that mean nothing there.
 * https://developers.openai.com/api/docs/guides/responses-multi-agent
 */
export function lostBetas({ headers }: GenerationRequest, provider: ProviderDefinition, passes: boolean): string[] {
  const { 'anthropic-beta': anthropic = '', 'openai-beta': openai } = headers;
  if (anthropic === '' && openai === undefined) return [];
  if (passes)
    return takenBetas(anthropic, provider).dropped.map(
      (name) => `the beta ${name} was dropped: ${provider.name} does not take it`,
    );
  const elsewhere = `the request went to ${provider.name} in another format`;
  const alone = namesIn(anthropic).filter((name) => tellsAlone.test(name));
  return [
    ...(openai === undefined ? [] : [`the header openai-beta was dropped: ${elsewhere}`]),
    ...(alone.length === 0 ? [] : [`${alone.join(', ')} in anthropic-beta was dropped: ${elsewhere}`]),
  ];
}

function namesIn(header: string): string[] {
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
