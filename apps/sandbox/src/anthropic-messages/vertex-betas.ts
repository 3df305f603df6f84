import { demand } from '../request/refusal';

/**
 * Betas of Anthropic's that Vertex AI refuses, as reported:
 * https://github.com/anthropics/claude-code/issues/34802
 * https://github.com/anthropics/claude-code/issues/21625 https://github.com/vercel/ai/issues/10981
 * https://github.com/QuantumNous/new-api/issues/2975
 */
const unexpected = [
  'adaptive-thinking-2026-01-28',
  'effort-2025-11-24',
  'prompt-caching-scope-2026-01-05',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
];

/** Anthropic itself passes over a name that is old. @throws Refusal in Vertex AI's words. */
export function checkVertexBetas(betas: string): void {
  const found = betas
    .split(',')
    .map((name) => name.trim())
    .filter((name) => unexpected.includes(name));
  demand(
    found.length === 0,
    `Unexpected value(s) ${found.map((name) => `\`${name}\``).join(', ')} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`,
  );
}
