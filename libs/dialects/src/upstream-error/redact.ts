/** Providers echo parts of keys (OpenAI's 401 does) and name our accounts and organizations; none of that may reach a caller or a log. */
const secretPatterns: readonly RegExp[] = [
  /\bBearer\s+\S+/gi,
  // Keys by their usual prefixes, also masked in the middle: sk-proj-ab****yz
  /\b(?:sk|pk|rk|gsk|csk|xai|nvapi|pplx|key|org|proj|fw|hf|r8|tgp|acct)[-_][\w*.…-]{4,}/gi,
  /\bAIza[\w*-]{8,}/g,
  // Anything masked, and any long run that mixes letters and digits as no word does.
  /[\w-]*\*{3,}[\w-]*/g,
  /\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}/g,
];

const maxCharacters = 1_000;

/** A provider's text, fit for a caller: keys and account names replaced, at most 1,000 characters, on one line. */
export function redact(text: string): string {
  let clean = text
    .slice(0, maxCharacters * 4)
    .replace(/\s+/g, ' ')
    .trim();
  for (const pattern of secretPatterns) clean = clean.replace(pattern, '[redacted]');
  return clean.length > maxCharacters ? `${clean.slice(0, maxCharacters)}…` : clean;
}
