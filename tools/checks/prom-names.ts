const functions = /\b[a-z_]+(?=\s*\()/g;
const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g;
const words = /[a-zA-Z_:][a-zA-Z0-9_:]*/g;
const operators = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

/** The names of all series that a PromQL expression reads, histograms by the name of their metric. */
export function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(grouping, ' ')
    .replace(functions, '')
    // A number and its exponent.
    .replace(/\b\d[\w.]*/g, '');
  const found = (bare.match(words) ?? []).filter((word) => !operators.has(word.toLowerCase()));
  return [...new Set(found.map((name) => name.replace(/_(bucket|sum|count)$/, '')))];
}

/** The labels by which an expression chooses or groups series. */
export function labelsIn(expression: string): string[] {
  const chosen = [...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label);
  const grouped = [...expression.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  return [...new Set([...chosen, ...grouped])].filter((label) => label !== '');
}
