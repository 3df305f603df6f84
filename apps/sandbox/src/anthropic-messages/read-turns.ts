import type { Source } from '../request/neutral-request';
import { memberOf, objects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import type { Turn } from '../request/turns';
import { checkBlock } from './check-block';

type Block = Record<string, unknown>;

interface Message {
  role: string;
  blocks: Block[];
  where: string;
}

/**
 * What was said so far: messages of one role in a row are one turn, every call has its result right behind
 * it, and while the model thinks, the turn whose results just came begins with its thoughts.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls @throws Refusal
 */
export function readTurns(list: readonly Record<string, unknown>[], thinks: boolean, takesUnsigned: boolean): Turn[] {
  const messages = list.map((message, index) => readMessage(message, index, takesUnsigned));
  demand(messages[0]?.role === 'user', 'messages: first message must use the "user" role');
  checkEnd(messages.at(-1));
  let open = new Set<string>();
  const turns = joined(messages).map((message): Turn => {
    if (message.role === 'assistant') {
      open = callsOf(message);
      return { kind: 'assistant' };
    }
    const turn = userTurn(message, open);
    open = new Set();
    return turn;
  });
  if (thinks) checkThoughts(joined(messages), turns);
  return turns;
}

/** The documents that may be cited. https://platform.claude.com/docs/en/build-with-claude/citations */
export function sourcesIn(messages: readonly Record<string, unknown>[]): Source[] {
  const documents = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(isRecord).filter(({ type }) => type === 'document') : [],
  );
  return documents.flatMap((document, index) => {
    if (memberOf(document, 'citations').enabled !== true) return [];
    const { type, data } = memberOf(document, 'source');
    const text = type === 'text' ? textIn(data) : 'a page';
    return [{ index, id: `doc-${index}`, title: textIn(document.title), text, url: null }];
  });
}

function readMessage(
  { role, content, ...members }: Record<string, unknown>,
  index: number,
  takesUnsigned: boolean,
): Message {
  const where = `messages.${index}`;
  demand(
    role === 'user' || role === 'assistant' || (role === 'system' && index > 0),
    `${where}.role: Input should be 'user' or 'assistant'`,
  );
  // A system message may only change the effort:
  // https://platform.claude.com/docs/en/build-with-claude/effort-per-message
  const isSilent = role === 'system' && isRecord(members.output_config);
  const blocks = blocksOf(isSilent ? (content ?? []) : content, `${where}.content`);
  demand(
    blocks.length > 0 || (isSilent && Object.keys(memberOf(members, 'output_config')).length > 0),
    `${where}: all messages must have non-empty content except for the optional final assistant message`,
  );
  for (const [at, block] of blocks.entries()) checkBlock(block, role, `${where}.content.${at}`, takesUnsigned);
  return { role, blocks, where };
}

function blocksOf(content: unknown, where: string): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objects(content, where);
}

function checkEnd(last: Message | undefined): void {
  const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined;
  demand(!/\s$/.test(textIn(block?.text)), 'messages: final assistant content cannot end with trailing whitespace');
}

/** Messages of the same role in a row are one. Instructions in between belong to the user's side. */
function joined(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const { role, blocks, where } of messages) {
    const side = role === 'assistant' ? 'assistant' : 'user';
    const before = turns.at(-1);
    if (before?.role === side) before.blocks.push(...blocks);
    else turns.push({ role: side, blocks: [...blocks], where });
  }
  return turns;
}

function callsOf({ blocks, where }: Message): Set<string> {
  const ids = blocks.flatMap((block) => (block.type === 'tool_use' ? [textIn(block.id)] : []));
  demand(new Set(ids).size === ids.length, `${where}: \`tool_use\` ids must be unique`);
  return new Set(ids);
}

function userTurn({ blocks, where }: Message, open: Set<string>): Turn {
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const { tool_use_id: id } of results)
    demand(
      open.delete(textIn(id)),
      `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${textIn(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  const isFirst = results.every((result, index) => blocks[index] === result);
  const missing = [...open].join(', ');
  demand(
    open.size === 0 && isFirst,
    `${where}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
  if (results.length === 0) return { kind: 'user', text: textOf(blocks) };
  return { kind: 'results', texts: results.map(({ content }) => textOf(blocksOf(content ?? '', where))) };
}

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks */
function checkThoughts(messages: readonly Message[], turns: readonly Turn[]): void {
  if (turns.at(-1)?.kind !== 'results') return;
  const answer = messages.at(-2);
  const type = textIn(answer?.blocks[0]?.type);
  demand(
    type === 'thinking' || type === 'redacted_thinking',
    `${answer?.where}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => textIn(text)).join(' ');
}
