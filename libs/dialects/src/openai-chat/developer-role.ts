import { holdsFor, type UpstreamTarget } from '../provider-dialect';

type Json = Record<string, unknown>;

/**
 * Whether this model refuses the role `developer`, which is OpenAI's newer word for `system`.
 * https://platform.openai.com/docs/guides/text#message-roles-and-instruction-following
 */
export function knowsNoDeveloper(target: UpstreamTarget): boolean {
  return holdsFor(target.provider.quirks.systemForDeveloper, target);
}

/** The very same message where it is no developer's. */
export function toSystem(message: Json): Json {
  return message.role === 'developer' ? { ...message, role: 'system' } : message;
}
