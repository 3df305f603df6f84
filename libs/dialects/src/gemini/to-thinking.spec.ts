import type { ReasoningSetting } from '../canonical/generation-request';
import { geminiTarget } from './target.fixture';
import { toThinkingConfig } from './to-thinking';

function config(setting: ReasoningSetting, model: string): { told: unknown; warnings: string[] } {
  const warnings: string[] = [];
  return { told: toThinkingConfig(setting, geminiTarget(model), (warning) => warnings.push(warning)), warnings };
}

describe('thinking', () => {
  it.each<[ReasoningSetting, string, object, number]>([
    [{ effort: 'low' }, 'gemini-2.5-flash', { thinkingBudget: 1_024, includeThoughts: true }, 0],
    [{ effort: 'max' }, 'gemini-2.5-pro', { thinkingBudget: 32_768, includeThoughts: true }, 0],
    [{ effort: 'none' }, 'gemini-2.5-flash', { thinkingBudget: 0 }, 0],
    [{ off: true }, 'gemini-2.5-pro', { thinkingBudget: 128 }, 1],
    [{ budgetTokens: 5_000 }, 'gemini-2.5-flash', { thinkingBudget: 5_000, includeThoughts: true }, 0],
    [{ budgetTokens: 99_000 }, 'gemini-2.5-flash', { thinkingBudget: 24_576, includeThoughts: true }, 1],
    [{ adaptive: true }, 'gemini-2.5-flash-lite', { thinkingBudget: -1, includeThoughts: true }, 0],
    [{ effort: 'medium', summary: 'none' }, 'gemini-2.5-flash', { thinkingBudget: 8_192 }, 0],
    [{ effort: 'high' }, 'gemini-3.1-pro-preview', { thinkingLevel: 'HIGH', includeThoughts: true }, 0],
    [{ effort: 'minimal' }, 'gemini-3.5-flash', { thinkingLevel: 'MINIMAL', includeThoughts: true }, 0],
    [{ effort: 'minimal' }, 'gemini-3.1-pro-preview', { thinkingLevel: 'LOW', includeThoughts: true }, 1],
    [{ effort: 'xhigh' }, 'gemini-flash-latest', { thinkingLevel: 'HIGH', includeThoughts: true }, 1],
    [{ off: true }, 'gemini-3.5-flash', { thinkingLevel: 'MINIMAL' }, 1],
    [{ budgetTokens: 4_096 }, 'gemini-3.5-flash', { thinkingLevel: 'MEDIUM', includeThoughts: true }, 1],
    [{ adaptive: true }, 'gemini-3.5-flash', { includeThoughts: true }, 0],
    [{ summary: 'auto' }, 'gemini-3.5-flash', { includeThoughts: true }, 0],
  ])('%j of %s is %j', (setting, model, told, warned) => {
    const { told: written, warnings } = config(setting, model);
    expect(written).toEqual(told);
    expect(warnings).toHaveLength(warned);
  });

  it('has a level above high where the model has one', () => {
    const target = geminiTarget('gemini-4-neon');
    const reasoningEfforts = ['low', 'medium', 'high', 'xhigh'];
    const neon = { ...target, model: { ...target.model, reasoningEfforts } };
    const warnings: string[] = [];
    const told = ['xhigh', 'max'].map((effort) =>
      toThinkingConfig({ effort } as ReasoningSetting, neon, (warning) => warnings.push(warning)),
    );
    expect(told).toEqual([
      { thinkingLevel: 'XHIGH', includeThoughts: true },
      { thinkingLevel: 'XHIGH', includeThoughts: true },
    ]);
    expect(warnings).toEqual([expect.stringContaining("effort 'max' was changed to the level XHIGH")]);
  });

  it('says nothing to models that do not think, and nothing where nothing is to be said', () => {
    expect(config({ effort: 'high' }, 'gemini-2.0-flash')).toEqual({
      told: undefined,
      warnings: [expect.stringContaining('reasoning was dropped')],
    });
    expect(config({ off: true }, 'gemini-2.0-flash')).toEqual({ told: undefined, warnings: [] });
    expect(config({ summary: 'none' }, 'gemini-3.5-flash').told).toBeUndefined();
  });
});
