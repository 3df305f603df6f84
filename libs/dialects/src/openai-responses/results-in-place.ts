import type { CanonicalMessage, MessagePart } from '../canonical/generation-request';

/**
 * The messages with the results of tools right behind the turn that called them. Only responses tell results
 * by their ids wherever they stand: what Codex says to the model while its tools run comes between.
 * https://github.com/lidge-jun/opencodex/issues/1292 https://github.com/farion1231/cc-switch/pull/3047
 * https://github.com/deepseek-ai/awesome-deepseek-integration/issues/740
 * The very same where they stand so. A result of no call stays where it is.
 */
export function withResultsInPlace(messages: CanonicalMessage[]): CanonicalMessage[] {
  const calledAt = new Map<string, number>();
  const placeOf = new Map<MessagePart, number>();
  let isInPlace = true;
  let lastOther = -1;
  for (const [index, { role, parts }] of messages.entries()) {
    if (role !== 'tool') lastOther = index;
    for (const part of parts) {
      if (part.type === 'tool-call') calledAt.set(part.id, index);
      const place = part.type === 'tool-result' ? calledAt.get(part.toolCallId) : undefined;
      if (place === undefined) continue;
      placeOf.set(part, place);
      isInPlace &&= place === lastOther;
    }
  }
  if (isInPlace) return messages;
  const results = new Map<number, MessagePart[]>();
  for (const [part, place] of placeOf) {
    const behind = results.get(place);
    if (behind) behind.push(part);
    else results.set(place, [part]);
  }
  return messages.flatMap((message, index) => {
    const parts = message.parts.filter((part) => !placeOf.has(part));
    const own = parts.length === message.parts.length ? [message] : parts.length > 0 ? [{ ...message, parts }] : [];
    const behind = (results.get(index) ?? []).map((part): CanonicalMessage => ({ role: 'tool', parts: [part] }));
    return [...own, ...behind];
  });
}
