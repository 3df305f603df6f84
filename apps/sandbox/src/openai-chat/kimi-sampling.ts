import { memberOf } from '../request/read-values';
import { demand } from '../request/refusal';

/**
 * Moonshot's Kimi is sampled in one way alone, and another where it does not think; other hosts of it do
 * not mind. https://github.com/Warma10032/VideoAdGuard/issues/34 (K2.5 and K2.6)
 * https://github.com/XCNXNXNX/dsh-portable-tavern/issues/1 (K3)
 * https://github.com/arcsin1/oh-my-ppt/issues/45
 * https://github.com/iOfficeAI/gemini-cli-pro/pull/30 (`top_p`) @throws Refusal
 */
export function checkKimiSampling(body: Record<string, unknown>, model: string): void {
  if (!/^kimi-k(?:2\.[5-7]|3(?!\.))/.test(model)) return;
  const { temperature, top_p: topP } = body;
  const only = memberOf(body, 'thinking').type === 'disabled' ? 0.6 : 1;
  const words = (name: string, value: number) => `invalid ${name}: only ${value} is allowed for this model`;
  demand((temperature ?? only) === only, words('temperature', only));
  demand((topP ?? 0.95) === 0.95, words('top_p', 0.95));
}
