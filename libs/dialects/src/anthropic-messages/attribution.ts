import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isList, isObject, itemsOf, listOf, membersNamed } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { inJson, membersOf, spliceObject } from '../wire/splice-object';
import { isClaude } from './model-facts';

/**
 * How the line begins in which Claude Code tells whose a conversation is, before its system prompt. Anthropic
 * takes it out again, and every other provider would take it for the beginning of the prompt, which is then
 * in no cache, as the line changes: https://github.com/anthropics/claude-code/issues/68900
 * https://code.claude.com/docs/en/llm-gateway-protocol#system-prompt-attribution-block Bedrock refuses it:
 * https://github.com/anthropics/claude-code/issues/24168
 */
const beginning = 'x-anthropic-billing-header:';
const quote = 0x22;

/** What a caller is told where it is left out. */
export const attributionWarning = 'the attribution of Claude Code was dropped: it is meant for Anthropic alone';

/**
 * A text of the system prompt without that line and the line feeds behind it; the very same one where it has
 * none. `lineFeed`: how the text writes them.
 */
export function withoutAttribution(text: string, lineFeed = '\n'): string {
  if (!text.startsWith(beginning)) return text;
  let end = text.indexOf(lineFeed);
  if (end < 0) return '';
  while (text.startsWith(lineFeed, end)) end += lineFeed.length;
  return text.slice(end);
}

/**
 * A native request without that line, for models of other makers. Claude's get it wherever they are served,
 * first and in a block of its own, as Anthropic wants it. The very same bytes where there is none.
 */
export function unattributed(body: Uint8Array, target: UpstreamTarget): Uint8Array {
  if (isClaude(target.upstreamModel) || !holdsText(asBuffer(body), beginning)) return body;
  const plain = withoutBom(body);
  const system = membersNamed(plain, ['system']).get('system');
  const kept = system && unattributedSystem(system);
  if (kept === system) return body;
  return spliceObject(plain, membersOf(plain), kept ? { set: { system: kept } } : { drop: ['system'] });
}

/** A system prompt in JSON text without that line; undefined: nothing is left of it. */
function unattributedSystem(system: Uint8Array): Uint8Array | readonly Uint8Array[] | undefined {
  if (!isList(system)) return unattributedText(system);
  const blocks = [...itemsOf(system)];
  const kept = blocks.flatMap((block) => unattributedBlock(block) ?? []);
  const isSame = kept.length === blocks.length && kept.every((block, index) => block === blocks[index]);
  if (isSame) return system;
  return kept.length === 0 ? undefined : listOf(kept);
}

function unattributedBlock(block: Uint8Array): Uint8Array | undefined {
  const text = isObject(block) ? membersNamed(block, ['text']).get('text') : undefined;
  const kept = text && unattributedText(text);
  if (kept === text) return block;
  return kept && spliceObject(block, membersOf(block), { set: { text: kept } });
}

function unattributedText(json: Uint8Array): Uint8Array | undefined {
  const said: unknown = json[0] === quote ? JSON.parse(asBuffer(json).toString('utf8')) : null;
  if (typeof said !== 'string') return json;
  const kept = withoutAttribution(said);
  if (kept === said) return json;
  return kept === '' ? undefined : inJson(kept);
}
