import type { TokenUsage } from '@tollgate/contracts';
import { ReaderAround } from '../canonical/reader-around';
import type { Translation, UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isObject, itemsOf, membersNamed, textIn } from '../wire/json-walk';

/**
 * A translation of chat completions whose answers are read as having written for an hour what their caller
 * marked so. OpenRouter passes such marks to Anthropic, and tells how much was written, not for how long:
 * where marks are of both kinds, the shorter one counts.
 * https://openrouter.ai/docs/guides/best-practices/prompt-caching
 */
export function withHourInCache(translation: Translation): Translation {
  return {
    ...translation,
    prepare: (body, target, options) => {
      const prepared = translation.prepare(body, target, options);
      if (!isForAnHour(body, target)) return prepared;
      return { ...prepared, answerReader: () => new HourReader(prepared.answerReader()) };
    },
  };
}

/** Whether all that is marked is to stay for an hour, and that has its price: else it costs as five minutes. */
function isForAnHour(body: Uint8Array, { provider, model }: UpstreamTarget): boolean {
  if (provider.bills?.form !== 'openrouter' || model.prices?.cacheWrite1h == null) return false;
  const bytes = asBuffer(body);
  if (!holdsText(bytes, '"1h"') || !holdsText(bytes, '"cache_control"')) return false;
  const marks = [...marksIn(body)];
  return marks.length > 0 && marks.every((mark) => textIn(mark, 'ttl') === '1h');
}

/** The marks of a body, of its tools, its messages, and the parts and calls of those, as JSON text. */
function* marksIn(body: Uint8Array): Generator<Uint8Array, void> {
  const own = membersNamed(body, ['cache_control', 'tools', 'messages']);
  const mark = own.get('cache_control');
  if (isObject(mark)) yield mark;
  for (const tool of itemsOf(own.get('tools'))) yield* markOf(tool);
  for (const message of itemsOf(own.get('messages'))) {
    yield* markOf(message);
    if (!isObject(message)) continue;
    for (const list of membersNamed(message, ['content', 'tool_calls']).values())
      for (const item of itemsOf(list)) yield* markOf(item);
  }
}

function* markOf(value: Uint8Array): Generator<Uint8Array, void> {
  const mark = isObject(value) ? membersNamed(value, ['cache_control']).get('cache_control') : undefined;
  if (isObject(mark)) yield mark;
}

/** Tells the usage of another reader. */
class HourReader extends ReaderAround {
  override get usage(): TokenUsage | null {
    const { usage } = this.inner;
    return usage && { ...usage, cacheWrite5m: 0, cacheWrite1h: usage.cacheWrite5m + usage.cacheWrite1h };
  }
}
