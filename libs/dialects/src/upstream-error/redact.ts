/**
 * Providers echo parts of keys (OpenAI's 401 does) and name our accounts and organizations; none of that may
 * reach a caller or a log.
 */
const secretPatterns: readonly RegExp[] = [
  /\bBearer\s+\S+/gi,
  // Keys by their usual prefixes, also masked in the middle: sk-proj-ab****yz
  /\b(?:sk|pk|rk|gsk|csk|xai|nvapi|pplx|key|org|proj|fw|hf|r8|tgp|acct)[-_][\w*.\u2026-]{4,}/gi,
  /\bAIza[\w*-]{8,}/g,
  // Anything masked.
  /[\w-]*\*{3,}[\w-]*/g,
  // Ids of accounts and projects.
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi,
];

/**
 * A run that is long enough for a key. Names of models are as long, but made of words:
 * `DeepSeek-R1-Distill-Qwen-32B-abliterated`.
 */
const longRun = /[\w-]{32,}/g;
const longestWord = 15;

const maxCharacters = 1_000;

/**
 * A provider's text, fit for a caller: keys and account names replaced, at most 1,000 characters. The words
 * stay the provider's own: programs look for them.
 */
export function redact(text: string): string {
  let clean = text.slice(0, maxCharacters * 4).trim();
  for (const pattern of secretPatterns) clean = clean.replace(pattern, '[redacted]');
  clean = clean.replace(longRun, (run) => (isRandom(run) ? '[redacted]' : run));
  return clean.length > maxCharacters ? `${clean.slice(0, maxCharacters)}…` : clean;
}

/** True where letters and digits are mixed as in no word. */
function isRandom(run: string): boolean {
  return run.split(/[-_]/).some((part) => part.length > longestWord && /\d/.test(part) && /[A-Za-z]/.test(part));
}
