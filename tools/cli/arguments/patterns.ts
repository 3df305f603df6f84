/** Gathers model patterns from repeated options and comma-separated lists. */
export function gatherPatterns(text: string, gathered: string[] = []): string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim());
  return [...gathered, ...patterns.filter((pattern) => pattern !== '')];
}
