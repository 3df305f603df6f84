/**
 * Writes rows as columns aligned with spaces, the header in capitals. Control characters in a cell (a name
 * may hold anything) are made visible, so that no stored text can move the cursor or colour the terminal.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header.map((cell) => cell.toUpperCase()), ...rows.map((row) => row.map(printable))];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes named facts, one a line, the values aligned. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value)}`).join('\n');
}

/** Shows control and text-direction characters as \u escapes. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
