/**
 * Compiled patterns by their text. Patterns come from accounts, few and repeated; the cache starts anew when
 * it is full.
 */
const compiled = new Map<string, RegExp>();
const compiledLimit = 10_000;

/**
 * True when a key with these patterns may use the model: `*` matches any run of characters, and no patterns
 * at all mean every model.
 */
export function isModelAllowed(patterns: readonly string[], modelId: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => isMatch(pattern, modelId));
}

/** Whether a name is one of a pattern: `*` matches any run of characters. */
export function isMatch(pattern: string, name: string): boolean {
  return toRegExp(pattern).test(name);
}

function toRegExp(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size >= compiledLimit) compiled.clear();
  // Runs of stars become one, so that a pattern cannot make the match explode.
  const source = pattern
    .split(/\*+/)
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${source}$`, 's');
  compiled.set(pattern, expression);
  return expression;
}
