import { z } from 'zod/mini';
import type { AssistantTurn, ToolCall } from './turns';

const text = z.optional(z.nullable(z.string()));

/** A piece of a streamed answer, as far as it is shown. */
const chatChunk = z.object({
  choices: z._default(
    z.array(
      z.object({
        delta: z.object({
          content: text,
          reasoning_content: text,
          reasoning: text,
          tool_calls: z.optional(
            z.nullable(
              z.array(
                z.object({
                  index: z.number(),
                  id: text,
                  function: z.optional(z.object({ name: text, arguments: text })),
                }),
              ),
            ),
          ),
        }),
      }),
    ),
    [],
  ),
  usage: z.optional(
    z.nullable(
      z.object({
        prompt_tokens: z.number(),
        completion_tokens: z.number(),
        prompt_tokens_details: z.optional(z.nullable(z.object({ cached_tokens: z.optional(z.nullable(z.number())) }))),
      }),
    ),
  ),
  error: z.optional(z.object({ message: z.string() })),
});
type ChatChunk = z.infer<typeof chatChunk>;
type ToolDelta = NonNullable<NonNullable<ChatChunk['choices'][number]['delta']['tool_calls']>[number]>;

/**
 * The answer with a piece of the stream added, which came `afterMs` after the request. What cannot be read
 * changes nothing.
 */
export function withChunk(answer: AssistantTurn, data: string, afterMs: number): AssistantTurn {
  const chunk = chunkFrom(data);
  if (!chunk) return answer;
  if (chunk.error) return { ...answer, state: 'failed', problem: chunk.error.message };
  const delta = chunk.choices[0]?.delta;
  const reasoning = delta?.reasoning_content ?? delta?.reasoning ?? '';
  const hasContent = Boolean(delta?.content || reasoning || delta?.tool_calls?.length);
  const { measure } = answer;
  return {
    ...answer,
    text: answer.text + (delta?.content ?? ''),
    reasoning: answer.reasoning + reasoning,
    toolCalls: (delta?.tool_calls ?? []).reduce(withToolDelta, answer.toolCalls),
    measure: {
      ...measure,
      firstTokenMs: measure.firstTokenMs ?? (hasContent ? afterMs : null),
      inputTokens: chunk.usage?.prompt_tokens ?? measure.inputTokens,
      outputTokens: chunk.usage?.completion_tokens ?? measure.outputTokens,
      cachedTokens: chunk.usage?.prompt_tokens_details?.cached_tokens ?? measure.cachedTokens,
    },
  };
}

function chunkFrom(data: string): ChatChunk | null {
  try {
    const read = z.safeParse(chatChunk, JSON.parse(data));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

function withToolDelta(calls: ToolCall[], { index, id, function: called }: ToolDelta): ToolCall[] {
  const before = calls[index] ?? { id: '', name: '', args: '' };
  const after = {
    id: before.id || (id ?? ''),
    name: before.name + (called?.name ?? ''),
    args: before.args + (called?.arguments ?? ''),
  };
  return Object.assign([...calls], { [index]: after });
}
