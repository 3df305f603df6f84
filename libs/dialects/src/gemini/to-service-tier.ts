import type { UpstreamTarget } from '../provider-dialect';

/** OpenAI's words for the tier that everybody gets, which Google gives without being asked. */
const usual: readonly unknown[] = [undefined, null, 'auto', 'default'];
/**
 * What Google sells beside it, by OpenAI's words. https://ai.google.dev/gemini-api/docs/flex-inference
 * https://ai.google.dev/gemini-api/docs/priority-inference
 */
const sold: Readonly<Record<string, string>> = { flex: 'flex', priority: 'priority', fast: 'priority' };

/**
 * The tier that is to serve a request; `asked` is OpenAI's `service_tier`. What Google does not sell is
 * dropped and told.
 */
export function toServiceTier(
  asked: unknown,
  { provider }: UpstreamTarget,
  warn: (warning: string) => void,
): { serviceTier?: string } {
  if (usual.includes(asked)) return {};
  const tier = typeof asked === 'string' ? sold[asked] : undefined;
  if (tier !== undefined && provider.quirks.takesServiceTier) return { serviceTier: tier };
  warn(`service_tier was dropped: ${provider.name} does not take it`);
  return {};
}
