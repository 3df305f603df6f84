import { model } from '../testing/catalog-fixture';
import { codexModelList, toCodexList } from './codex-models';

const seeing = { ...model('p/a').capabilities, vision: true };

describe('the list of models for Codex', () => {
  it('has what it demands of each, the efforts of the model and its usual one', () => {
    const list = toCodexList([
      model('anthropic/claude', { name: 'Claude', capabilities: seeing, reasoningEfforts: ['low', 'medium', 'odd'] }),
      model('xai/grok', { contextWindow: null, reasoningEfforts: ['high'] }),
    ]);
    expect(codexModelList.parse(list)).toEqual(list);
    expect(list.models).toMatchObject([
      {
        slug: 'anthropic/claude',
        display_name: 'Claude',
        default_reasoning_level: 'medium',
        supported_reasoning_levels: [{ effort: 'low' }, { effort: 'medium' }],
        context_window: 128_000,
        input_modalities: ['text', 'image'],
      },
      { slug: 'xai/grok', default_reasoning_level: 'high', input_modalities: ['text'] },
    ]);
    expect(list.models[1]).not.toHaveProperty('context_window');
  });

  it('leaves out what it has itself, and what cannot use tools', () => {
    const toolless = { ...seeing, tools: false };
    expect(
      toCodexList([
        model('openai/gpt-5.4-mini'),
        model('p/embedding', { kind: 'embedding' }),
        model('p/plain', { capabilities: toolless }),
      ]),
    ).toEqual({ models: [] });
  });
});
