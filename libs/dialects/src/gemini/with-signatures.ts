import type { Content } from './to-contents';

/**
 * What Google names for calls of another model's or a lost signature:
 * https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const unsigned = 'skip_thought_signature_validator';

/**
 * From Gemini 3 on, the first call of each turn must be signed. Turns that another model wrote, or whose
 * signatures a client has lost, are marked so that Gemini goes on without.
 */
export function withSignatures(contents: readonly Content[]): Content[] {
  return contents.map(({ role, parts }) => {
    const first = parts.find((part) => 'functionCall' in part);
    if (role !== 'model' || first === undefined || 'thoughtSignature' in first) return { role, parts };
    return { role, parts: parts.map((part) => (part === first ? { ...part, thoughtSignature: unsigned } : part)) };
  });
}
