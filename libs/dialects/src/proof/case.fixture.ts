import type { GenerationSurface } from '@tollgate/contracts';

type Json = Record<string, unknown>;

/**
 * A thing that a caller may ask for, in the words of each surface; in place of a body the reason why a
 * surface cannot say it.
 */
export interface Case {
  name: string;
  bodies: Record<GenerationSurface, Json | string>;
}

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const pdf = 'JVBERi0xLjQKJSVFT0YK';
export const weather = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** A chat completion request with these messages. */
export function chat(messages: Json[], members: Json = {}): Json {
  return { model: 'acme/model', messages, ...members };
}

/** A messages request, which always has a limit. */
export function messages(turns: Json[], members: Json = {}): Json {
  return { model: 'acme/model', max_tokens: 20_000, messages: turns, ...members };
}

/** A responses request. */
export function responses(input: string | Json[], members: Json = {}): Json {
  return { model: 'acme/model', input, ...members };
}

export function user(content: unknown): Json {
  return { role: 'user', content };
}

/** A case that is one question with these members in each dialect. */
export function setting(
  name: string,
  chatMembers: Json | string,
  messagesMembers: Json | string,
  responsesMembers: Json | string,
): Case {
  const ask = (members: Json | string, body: (members: Json) => Json) =>
    typeof members === 'string' ? members : body(members);
  return {
    name,
    bodies: {
      'openai-chat': ask(chatMembers, (members) => chat([user('Hi')], members)),
      'anthropic-messages': ask(messagesMembers, (members) => messages([user('Hi')], members)),
      'openai-responses': ask(responsesMembers, (members) => responses('Hi', members)),
    },
  };
}

/** A case that is one user message with this content in each dialect. */
export function content(name: string, chatContent: unknown, messagesContent: unknown, responsesContent: unknown): Case {
  const ask = (parts: unknown, body: (turns: Json[]) => Json) =>
    typeof parts === 'string' ? parts : body([user(parts)]);
  return {
    name,
    bodies: {
      'openai-chat': ask(chatContent, chat),
      'anthropic-messages': ask(messagesContent, messages),
      'openai-responses': ask(responsesContent, responses),
    },
  };
}
