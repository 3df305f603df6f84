import { z } from 'zod/mini';
import type { Setup } from './request-body';
import type { Turn } from './turns';

const count = z.nullable(z.number());
const userTurn = z.object({
  kind: z.literal('user'),
  text: z.string(),
  images: z.array(z.string()),
  files: z.optional(z.array(z.object({ name: z.string(), url: z.string() }))),
});
const assistantTurn = z.object({
  kind: z.literal('assistant'),
  model: z.string(),
  text: z.string(),
  reasoning: z.string(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), args: z.string() })),
  state: z.enum(['running', 'done', 'stopped', 'failed']),
  problem: z.nullable(z.string()),
  measure: z.object({
    firstTokenMs: count,
    totalMs: count,
    endedAt: count,
    inputTokens: count,
    cachedTokens: z.number(),
    outputTokens: count,
    requestId: z.nullable(z.string()),
    simulated: z.boolean(),
  }),
});
const toolTurn = z.object({
  kind: z.literal('tool'),
  results: z.array(z.object({ id: z.string(), content: z.string() })),
});

export const setupShape = z.object({
  ...{ system: z.string(), temperature: z.string(), topP: z.string(), maxTokens: z.string() },
  ...{ tools: z.string(), schema: z.string(), more: z.string() },
});

/** What was said, with each model in a column of its own. `at`: epoch milliseconds of its last change. */
export interface KeptConversation {
  id: string;
  at: number;
  setup: Setup;
  columns: { model: string; turns: Turn[] }[];
}

export const conversationsShape = z.array(
  z.object({
    id: z.string(),
    at: z.number(),
    setup: setupShape,
    columns: z.array(z.object({ model: z.string(), turns: z.array(z.union([userTurn, assistantTurn, toolTurn])) })),
  }),
);

const mostKept = 30;
/**
 * Characters of one conversation beyond which its images and files are left out: browsers keep some 5
 * million in all.
 */
const mostWithImages = 300_000;
const mostInAll = 2_000_000;

/** The conversations with this one in front; the oldest go where there are too many, or too much is said. */
export function withConversation(
  before: readonly KeptConversation[],
  conversation: KeptConversation,
): KeptConversation[] {
  const all = [slim(conversation), ...before.filter(({ id }) => id !== conversation.id)].slice(0, mostKept);
  let room = mostInAll;
  return all.filter((one) => (room -= JSON.stringify(one).length) >= 0);
}

function slim(conversation: KeptConversation): KeptConversation {
  if (JSON.stringify(conversation).length <= mostWithImages) return conversation;
  const columns = conversation.columns.map((column) => ({
    ...column,
    turns: column.turns.map((turn) => (turn.kind === 'user' ? { ...turn, images: [], files: undefined } : turn)),
  }));
  return { ...conversation, columns };
}

const longestTitle = 60;

/** What a conversation is called: how it began. */
export function titleOf({ columns }: Pick<KeptConversation, 'columns'>): string {
  const first = columns[0]?.turns.find(({ kind }) => kind === 'user');
  const text = first?.kind === 'user' ? first.text.trim().replaceAll(/\s+/g, ' ') : '';
  if (!text) return 'Without words';
  return text.length > longestTitle ? `${text.slice(0, longestTitle)}…` : text;
}
