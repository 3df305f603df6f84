import type { Source } from '../request/neutral-request';
import { memberOf, objects, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import type { Turn } from '../request/turns';
import { checkBlock } from './check-block';

type Block = Record<string, unknown>;

/**
 * What was said so far: roles alternate, and every call has its result in the next turn. `thinks`: a Claude
 * that thinks wants its thoughts back before its calls.
 * @throws Refusal
 */
export function readTurns(messages: readonly Block[], thinks: boolean): Turn[] {
  let open = new Set<string>();
  let before: Block[] = [];
  return messages.map((message, index) => {
    const blocks = readMessage(message, index, messages[index - 1]);
    if (message.role === 'assistant') {
      open = callsOf(blocks, `messages.${index}`);
      before = blocks;
      return { kind: 'assistant' };
    }
    const turn = userTurn(blocks, open, index);
    open = new Set();
    if (thinks && turn.kind === 'results' && index === messages.length - 1) checkThoughts(before, index - 1);
    return turn;
  });
}

/** The documents that may be cited. */
export function sourcesIn(messages: readonly Block[]): Source[] {
  const documents = messages
    .flatMap(({ content }) => optionalObjects(content, 'content'))
    .flatMap(({ document }) => (isRecord(document) ? [document] : []));
  return documents.flatMap((document, index) => {
    if (memberOf(document, 'citations').enabled !== true) return [];
    const { text } = memberOf(document, 'source');
    return [{ index, id: `doc-${index}`, title: textIn(document.name), text: textIn(text) || 'a page', url: null }];
  });
}

function readMessage(message: Block, index: number, before: Block | undefined): Block[] {
  const where = `messages.${index}`;
  const { role } = message;
  demand(
    role === 'user' || role === 'assistant',
    `Value '${textIn(role)}' at '${where}.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]`,
  );
  demand(
    index > 0 || role === 'user',
    'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
  );
  demand(
    role !== before?.role,
    'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
  );
  const blocks = objects(message.content, `${where}.content`);
  demand(
    blocks.length > 0,
    `The content field in the Message object at ${where} is empty. Add a ContentBlock object to the content field and try again.`,
  );
  for (const [at, block] of blocks.entries()) checkBlock(block, role, `${where}.content.${at}`);
  const hasDocument = blocks.some(({ document }) => document !== undefined);
  demand(
    !hasDocument || blocks.some(({ text }) => text !== undefined),
    `The Message object at ${where} has documents and no text. Add a text block and try again.`,
  );
  return blocks;
}

function callsOf(blocks: readonly Block[], where: string): Set<string> {
  const ids = blocks.flatMap(({ toolUse }) => (isRecord(toolUse) ? [textIn(toolUse.toolUseId)] : []));
  demand(new Set(ids).size === ids.length, `The toolUse blocks at ${where}.content contain duplicate Ids.`);
  return new Set(ids);
}

function userTurn(blocks: readonly Block[], open: Set<string>, index: number): Turn {
  const where = `messages.${index}.content`;
  const results = blocks.flatMap(({ toolResult }) => (isRecord(toolResult) ? [toolResult] : []));
  const expected = open.size;
  for (const { toolUseId } of results)
    demand(
      open.delete(textIn(toolUseId)),
      `The number of toolResult blocks at ${where} exceeds the number of toolUse blocks of previous turn.`,
    );
  demand(open.size === 0, `Expected toolResult blocks at ${where} for the following Ids: ${[...open].join(', ')}`);
  if (expected === 0) return { kind: 'user', text: textOf(blocks) };
  return { kind: 'results', texts: results.map(({ content }) => textOf(optionalObjects(content, where))) };
}

function checkThoughts([first]: readonly Block[], index: number): void {
  demand(
    first?.reasoningContent !== undefined,
    `The model returned the following errors: messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${Object.keys(first ?? {}).join()}\`.`,
  );
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ text, json }) => (json === undefined ? textIn(text) : JSON.stringify(json))).join(' ');
}
