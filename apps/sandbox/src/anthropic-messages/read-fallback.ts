import { splitModel } from '../behaviour/read-behaviour';
import { objects, textIn } from '../request/read-values';
import { demand } from '../request/refusal';

const fallbackBeta = /server-side-fallback-2026-0[67]-01/;
const mostFallbacks = 3;
/** https://github.com/mozex/anthropic-laravel/releases/tag/1.8.0 */
const withFallbacks = /^claude-(?:fable-5|mythos-5|opus-5)/;
/** Which one Anthropic takes by itself is not documented. */
const usualFallback = 'claude-opus-4-8';

/**
 * The model that answers where this one declines: the first that is named, or the one of Anthropic's choice,
 * which a model without any passes over. Null: none.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#server-side-fallback The rules
 * are documented, their words are not. @throws Refusal
 */
export function readFallback(fallbacks: unknown, name: string, betas: string): string | null {
  if (fallbacks === undefined || fallbacks === null) return null;
  demand(fallbackBeta.test(betas), 'fallbacks: Extra inputs are not permitted');
  const hasThem = withFallbacks.test(splitModel(name).name);
  if (fallbacks === 'default') return hasThem ? usualFallback : null;
  const named = objects(fallbacks, 'fallbacks').map(({ model }) => textIn(model));
  demand(named.length > 0 && named.length <= mostFallbacks, `fallbacks: List should have 1 to ${mostFallbacks} items`);
  for (const [at, model] of named.entries()) demand(model !== '', `fallbacks.${at}.model: Field required`);
  demand(hasThem, 'fallbacks: this model does not support fallbacks');
  return named[0] ?? null;
}
