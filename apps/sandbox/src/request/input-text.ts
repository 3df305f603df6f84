import { countTextTokens } from '@tollgate/dialects';

/**
 * Longer than any word that people write; what is longer and has no spaces is the data of a picture or of a
 * file.
 */
const longestWord = 2_000;

/** What counts as input, as one text and its tokens. Data counts little, as pictures do. */
export function inputOf(...parts: readonly unknown[]): { inputText: string; inputTokens: number } {
  const inputText = JSON.stringify(parts, (_name, value: unknown) =>
    typeof value === 'string' && value.length > longestWord && !value.includes(' ')
      ? `data ${value.length} ${value.slice(-longestWord / 20)}`
      : value,
  );
  return { inputText, inputTokens: countTextTokens(inputText) };
}
