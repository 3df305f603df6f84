import type { CacheControl } from '../canonical/generation-request';
import type { RequestFields } from '../canonical/request-fields';

/**
 * Reads the `cache_control` of a block, tool or system text; nothing when it has none.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function readCacheControl(fields: RequestFields, unread: string[]): { cacheControl?: CacheControl } {
  const control = fields.nested('cache_control');
  if (control === undefined) return {};
  control.ignore('type');
  const ttl = control.choice('ttl', ['5m', '1h']);
  control.finish(unread);
  return { cacheControl: ttl === undefined ? {} : { ttl } };
}

/** The `cache_control` member for the wire; nothing when there is none. */
export function toCacheControl(control: CacheControl | undefined): { cache_control?: Record<string, unknown> } {
  if (control === undefined) return {};
  return { cache_control: { type: 'ephemeral', ...(control.ttl === undefined ? {} : { ttl: control.ttl }) } };
}
