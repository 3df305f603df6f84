import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { itemsOf, listOf, membersNamed, textIn } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { isClaude } from './model-facts';

/**
 * How the line begins in which Claude Code tells whose a conversation is, before its system prompt. Anthropic
 * takes it out again, and every other provider would take it for the beginning of the prompt, which is then
 * in no cache, as the line changes: https://github.com/anthropics/claude-code/issues/68900
 * https://code.claude.com/docs/en/llm-gateway-protocol#system-prompt-attribution-block Bedrock refuses it:
 * https://github.com/anthropics/claude-code/issues/24168
 */
const beginning = 'x-anthropic-billing-header:';

/** What a caller is told where it is left out. */
export const attributionWarning = 'the attribution of Claude Code was dropped: it is meant for Anthropic alone';

/** A text of the system prompt without that line; the very same one where it has none. */
export function withoutAttribution(text: string): string {
  return text.startsWith(beginning) ? text.replace(/^[^\n]*\n*/, '') : text;
}

/**
 * A native request without that block, for models of other makers. Claude's gets it wherever it is served,
 * first and in a block of its own, as Anthropic wants it. The very same bytes where there is none.
 */
export function unattributed(body: Uint8Array, target: UpstreamTarget): Uint8Array {
  if (isClaude(target.upstreamModel) || !holdsText(asBuffer(body), beginning)) return body;
  const plain = withoutBom(body);
  const before = [...itemsOf(membersNamed(plain, ['system']).get('system'))];
  const kept = before.filter((block) => {
    const text = textIn(block, 'text') ?? '';
    return text === '' || withoutAttribution(text) !== '';
  });
  if (kept.length === before.length) return body;
  const edits = kept.length === 0 ? { drop: ['system'] } : { set: { system: listOf(kept) } };
  return spliceObject(plain, membersOf(plain), edits);
}
