/**
 * The fallbacks that stay when those are left out that would run in a circle (a model falls back to another
 * that falls back to it) or that `isFit` refuses.
 * What stands first stays.
 */
export function withoutCircles(
  wanted: ReadonlyMap<string, readonly string[]>,
  isFit: (id: string, fallback: string) => boolean,
): { fallbacks: Map<string, string[]>; left: [id: string, fallback: string][] } {
  const fallbacks = new Map<string, string[]>();
  const left: [string, string][] = [];
  const leads = (from: string, to: string): boolean =>
    from === to || (fallbacks.get(from) ?? []).some((next) => leads(next, to));
  for (const [id, all] of wanted)
    for (const fallback of new Set(all)) {
      if (fallback !== id && isFit(id, fallback) && !leads(fallback, id))
        fallbacks.set(id, [...(fallbacks.get(id) ?? []), fallback]);
      else if (fallback !== id) left.push([id, fallback]);
    }
  return { fallbacks, left };
}
