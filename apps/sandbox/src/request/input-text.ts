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
  return { inputText, inputTokens: tokensInJson(inputText) };
}

/** What stands for a character in a text of JSON. No provider counts it. */
const written: Readonly<Record<string, string>> = { '\\n': '\n', '\\t': '\t', '\\"': '"', '\\\\': '\\' };

/** The tokens of a text of JSON, without what JSON writes around the characters of its texts. */
export function tokensInJson(json: string): number {
  return countTextTokens(json.replace(/\\[nt"\\]/g, (escaped) => written[escaped] ?? escaped));
}
