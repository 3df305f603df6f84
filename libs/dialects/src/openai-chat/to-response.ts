import type { AnswerBlock, AnswerChoice, CanonicalAnswer } from '../canonical/answer';
import type { AnswerContext } from '../canonical/codec';
import { customForms, customInput } from '../canonical/custom-tool';
import { annotationOf, callSignature, finishReason, logprobsOf, reasoningDetail, usageOf } from './answer-words';

type CustomForms = ReturnType<typeof customForms>;

/** Writes a whole chat completion. https://platform.openai.com/docs/api-reference/chat/object */
export function toResponse(answer: CanonicalAnswer, context: AnswerContext): object {
  return {
    id: `chatcmpl-${context.newId()}`,
    object: 'chat.completion',
    created: answer.createdAtS ?? context.nowS,
    model: context.model,
    choices: answer.choices.map((choice, index) => choiceOf(choice, index, customForms(context.body))),
    ...(answer.usage && { usage: usageOf(answer.usage) }),
  };
}

function choiceOf(choice: AnswerChoice, index: number, custom: CustomForms): object {
  const { blocks } = choice;
  const texts = blocks.filter((block) => block.type === 'text');
  const refusal = joined(blocks.filter((block) => block.type === 'refusal'));
  const logprobs = texts.flatMap((text) => text.logprobs ?? []);
  return {
    index,
    message: {
      role: 'assistant',
      content: joined(texts),
      refusal,
      ...reasoningOf(choice),
      ...toolCallsOf(choice, custom),
      annotations: annotationsOf(texts),
    },
    logprobs: logprobs.length > 0 ? logprobsOf(logprobs) : null,
    finish_reason: finishReason(choice.finish, refusal !== null),
  };
}

/** Texts stand one behind the other in the content. */
function annotationsOf(texts: readonly Extract<AnswerBlock, { type: 'text' }>[]): Record<string, unknown>[] {
  let end = 0;
  return texts.flatMap(({ text, citations }) => {
    const start = end;
    end += text.length;
    const span = { start, end };
    return citations.map((citation) => annotationOf(citation, span)).filter((told) => told !== null);
  });
}

/** Null where there is none: an empty text is one. */
function joined(blocks: readonly { text: string }[]): string | null {
  return blocks.length === 0 ? null : blocks.map(({ text }) => text).join('');
}

function reasoningOf({ blocks }: AnswerChoice): object {
  const thoughts = blocks.filter((block) => block.type === 'reasoning');
  const text = joined(thoughts);
  const details = thoughts.flatMap((thought) =>
    thought.seal ? [reasoningDetail(thought.text, thought.seal, thought.id)] : [],
  );
  return { ...(text && { reasoning_content: text }), ...(details.length > 0 && { reasoning_details: details }) };
}

function toolCallsOf({ blocks }: AnswerChoice, custom: CustomForms): object {
  const calls = blocks.filter((block) => block.type === 'tool-call');
  if (calls.length === 0) return {};
  return {
    tool_calls: calls.map(({ id, name, arguments: text, signature }) => ({
      id,
      ...calledAs(custom.get(name), name, text),
      ...callSignature(signature),
    })),
  };
}

function calledAs(form: 'custom' | 'function' | undefined, name: string, text: string): object {
  if (form === 'custom') return { type: 'custom', custom: { name, input: customInput(text) } };
  const written = form === 'function' ? customInput(text) : text || '{}';
  return { type: 'function', function: { name, arguments: written } };
}
