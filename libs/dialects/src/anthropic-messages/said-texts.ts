import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isObject, itemsOf, listOf, membersNamed, textIn } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { isClaude } from './model-facts';

/** How a text of nothing shows in a body, as the usual writers of JSON write it. */
const traces = ['"text":""', '"text": ""'];

/** What a caller is told of texts that were left out. */
export const unsaidWarning = 'texts of nothing were left out: Claude refuses them';

/**
 * A native request without texts that say nothing, for one of which Claude refuses all of it, and so each
 * that follows in the session: `text content blocks must be non-empty`, `cache_control cannot be set for
 * empty text blocks`. Claude Code has sent such.
 * https://github.com/anthropics/claude-code/issues/50082
 * https://github.com/anthropics/claude-code/issues/54013
 * https://github.com/anthropics/claude-code/issues/54421 The mark for the cache that one has goes to what
 * stands before it, which ends the same beginning. The very same bytes where there is nothing to do, and a
 * message that says nothing else stays: only its caller knows what it was to say.
 */
export function withSaidTexts(body: Uint8Array, target: UpstreamTarget): Uint8Array {
  const source = asBuffer(body);
  if (!isClaude(target.upstreamModel) || !holdsNothing(source)) return body;
  const plain = withoutBom(body);
  const { messages, system } = Object.fromEntries(membersNamed(plain, ['messages', 'system']));
  const before = [...itemsOf(messages)];
  const turns = before.map(withSaid);
  const blocks = [...itemsOf(system)];
  const instructions = said(blocks);
  const isSame = turns.every((turn, index) => turn === before[index]);
  if (isSame && instructions.length === blocks.length) return body;
  const set = {
    ...(!isSame && { messages: listOf(turns) }),
    ...(instructions.length > 0 && { system: listOf(instructions) }),
  };
  const drop = blocks.length > 0 && instructions.length === 0 ? ['system'] : [];
  return spliceObject(plain, membersOf(plain), { set, drop });
}

function holdsNothing(json: Uint8Array): boolean {
  return traces.some((trace) => holdsText(asBuffer(json), trace));
}

function withSaid(message: Uint8Array): Uint8Array {
  if (!isObject(message) || !holdsNothing(message)) return message;
  const content = membersNamed(message, ['content']).get('content');
  const before = [...itemsOf(content)];
  const blocks = said(before);
  if (blocks.length === before.length || blocks.length === 0) return message;
  return spliceObject(message, membersOf(message), { set: { content: listOf(blocks) } });
}

/** The blocks that say something, the last of which before a mark that goes has it. */
function said(blocks: readonly Uint8Array[]): Uint8Array[] {
  const kept: Uint8Array[] = [];
  for (const block of blocks) {
    if (textIn(block, 'type') !== 'text' || textIn(block, 'text') !== '') {
      kept.push(block);
      continue;
    }
    const mark = membersNamed(block, ['cache_control']).get('cache_control');
    const last = kept.pop();
    if (last)
      kept.push(mark && takesMark(last) ? spliceObject(last, membersOf(last), { set: { cache_control: mark } }) : last);
  }
  return kept;
}

/** Thoughts take none: https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
function takesMark(block: Uint8Array): boolean {
  const type = textIn(block, 'type');
  return (
    type !== 'thinking' && type !== 'redacted_thinking' && !membersNamed(block, ['cache_control']).has('cache_control')
  );
}
