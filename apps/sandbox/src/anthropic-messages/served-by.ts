import { splitModel } from '../behaviour/read-behaviour';
import { demand } from '../request/refusal';

const fastBeta = 'fast-mode-2026-02-01';
/**
 * Out of the preview since 15 October 2026, and those that are in it.
 * https://platform.claude.com/docs/en/build-with-claude/fast-mode
 */
const fastModels = /^claude-((?:fable|mythos)-5-2|opus-5-5)(?!-\d\b)/;
const fastInPreview = /^claude-opus-(5|4-8)(?!-\d\b)/;
/**
 * It took the word before them, and serves it at the usual speed and price now.
 * https://platform.claude.com/docs/en/release-notes/overview
 */
const fastNoMore = /^claude-opus-4-6(?!-\d\b)/;

/**
 * The words of the speed and the region that serve a request of Anthropic's, where they are not the usual
 * ones. Fast mode is asked for of some models, and of those in the preview under a beta.
 * https://platform.claude.com/docs/en/build-with-claude/fast-mode
 * https://platform.claude.com/docs/en/build-with-claude/data-residency The rules are documented, the words
 * for another model and another value are not. @throws Refusal
 */
export function servedBy(
  { speed, inference_geo: geo }: Record<string, unknown>,
  name: string,
  betas: string,
): ('fast' | 'us')[] {
  const { name: model } = splitModel(name);
  demand(
    speed === undefined || fastModels.test(model) || betas.includes(fastBeta),
    'speed: Extra inputs are not permitted',
  );
  demand(
    speed === undefined || speed === 'standard' || speed === 'fast',
    "speed: Input should be 'standard' or 'fast'",
  );
  demand(
    speed !== 'fast' || [fastModels, fastInPreview, fastNoMore].some((models) => models.test(model)),
    "speed: 'fast' is not supported for this model.",
  );
  demand(
    geo === undefined || geo === null || geo === 'global' || geo === 'us',
    "inference_geo: Input should be 'global' or 'us'",
  );
  const isFast = speed === 'fast' && !fastNoMore.test(model);
  return [...(isFast ? ['fast' as const] : []), ...(geo === 'us' ? ['us' as const] : [])];
}

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
