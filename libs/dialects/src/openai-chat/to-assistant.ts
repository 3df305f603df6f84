import type { MessagePart, ReasoningPart, ReasoningSeal } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, parseJson } from '../wire/json-value';
import { keptReasoning } from './kept-reasoning';
import { toContent } from './to-content';

/**
 * The members of an assistant's message: its text, refusal and calls, and its reasoning where the provider
 * wants it back.
 */
export function toAssistant(
  parts: readonly MessagePart[],
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  const calls = parts.filter((part) => part.type === 'tool-call');
  const refusals = parts.filter((part) => part.type === 'refusal');
  const said = parts.filter((part) => part.type === 'text');
  return {
    content: said.length > 0 ? toContent(said) : null,
    refusal: refusals.length > 0 ? refusals.map(({ text }) => text).join('') : undefined,
    ...reasoningMembers(
      parts.filter((part) => part.type === 'reasoning'),
      target,
      warnings,
    ),
    tool_calls:
      calls.length === 0
        ? undefined
        : calls.map(({ id, name, arguments: text, signature }) => ({
            id,
            type: 'function',
            function: { name, arguments: text === '' ? '{}' : text },
            ...extraContent(signature, target),
          })),
  };
}

function reasoningMembers(
  thoughts: readonly ReasoningPart[],
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  // What another provider has sealed is no use here; its text is no part of this model's own thinking.
  const own = thoughts.filter(({ seal }) => seal === undefined || seal.dialect === 'openai-chat');
  if (own.length === 0) return {};
  switch (keptReasoning(target).field) {
    case 'reasoning_content':
      return { reasoning_content: own.map(({ text }) => text).join('') };
    case 'reasoning_details':
      return { reasoning_details: own.map(({ text, seal }) => detailOf(text, seal)) };
    case null: {
      const warning = `reasoning of earlier turns was dropped: ${target.provider.name} takes none back`;
      if (!warnings.includes(warning)) warnings.push(warning);
      return {};
    }
  }
}

function detailOf(text: string, seal: ReasoningSeal | undefined): unknown {
  const own = seal && parseJson(seal.value);
  return isRecord(own) ? own : { type: 'reasoning.text', text };
}

/**
 * Google's place for the signature of a call in this dialect:
 * https://ai.google.dev/gemini-api/docs/openai#thought-signatures
 */
function extraContent(signature: ReasoningSeal | undefined, { provider }: UpstreamTarget): Record<string, unknown> {
  const isTaken = signature?.dialect === 'gemini' && provider.quirks.reasoningField === 'reasoning_details';
  return isTaken ? { extra_content: { google: { thought_signature: signature.value } } } : {};
}
