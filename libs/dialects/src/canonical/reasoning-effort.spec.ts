import { targetWith } from '../openai-chat/target.fixture';
import type { ReasoningSetting } from './generation-request';
import { toNamedEffort } from './reasoning-effort';

function named(setting: ReasoningSetting, efforts?: string[], reasoning = true) {
  const target = targetWith(false);
  target.model.reasoningEfforts = efforts;
  target.model.capabilities.reasoning = reasoning;
  const warnings: string[] = [];
  return [toNamedEffort(setting, target, warnings, 'chat completions'), warnings];
}

describe('how much to think, for a model that is told by the name of an effort', () => {
  it.each<[string, ReasoningSetting, string[] | undefined, string | undefined]>([
    [
      'a middle effort, where the model may be without thoughts',
      { adaptive: true },
      ['none', 'low', 'medium'],
      'medium',
    ],
    ['what the model has beside none', { adaptive: true }, ['none', 'high'], 'high'],
    ['nothing, where it thinks by itself', { adaptive: true }, ['low', 'high', 'max'], undefined],
    ['nothing, where nobody knows what it takes', { adaptive: true }, undefined, undefined],
    ['the effort that stands beside it', { adaptive: true, effort: 'low' }, ['none', 'low', 'medium'], 'low'],
  ])('is left to the model by %s', (_, setting, efforts, expected) => {
    expect(named(setting, efforts)).toEqual([expected, []]);
  });

  it('is dropped and told where the model does not reason', () => {
    const dropped = [undefined, ['reasoning was dropped: this model does not reason']];
    for (const setting of [{ adaptive: true }, { effort: 'low' }, { budgetTokens: 2_000 }] as const)
      expect(named(setting, undefined, false)).toEqual(dropped);
    expect(named({ off: true }, undefined, false)).toEqual([undefined, []]);
  });

  it('has no name where the model has no efforts', () => {
    expect(named({ off: true }, [])).toEqual([undefined, ['reasoning stayed on: this model always reasons']]);
    expect(named({ effort: 'high' }, [])).toEqual([
      undefined,
      ["reasoning effort 'high' was dropped: this model knows none"],
    ]);
  });
});
