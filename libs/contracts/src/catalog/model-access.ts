/**
 * True when a key with these patterns may use the model: `*` matches any run of characters, and no patterns
 * at all mean every model.
 */
export function isModelAllowed(patterns: readonly string[], modelId: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => isMatch(pattern, modelId));
}

/**
 * Whether a name is one of a pattern: `*` matches any run of characters. It never goes back, however many
 * stars there are: callers choose names. The SQL function `budget_counts` finds the same.
 */
export function isMatch(pattern: string, name: string): boolean {
  const [first = '', ...between] = pattern.split('*');
  const last = between.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  // What is found earliest leaves the most for the parts after it.
  for (const part of between) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at + last.length <= name.length && name.endsWith(last);
}
