import type { CanonicalRequest } from '../canonical/generation-request';
import { aRequest } from '../builders.fixture';
import { bedrockTarget } from './target.fixture';
import { toConverseRequest } from './to-converse-request';

function written(overrides: Partial<CanonicalRequest>, model: string) {
  return toConverseRequest(aRequest(overrides), bedrockTarget(model));
}

describe('a tool that must be called', () => {
  const forced = { tools: [{ name: 'now' }], toolChoice: { type: 'required' } as const };
  const disabled = { thinking: { type: 'disabled' } };

  it.each([
    ['opus-4-5', undefined],
    ['opus-4-8', undefined],
    ['sonnet-5', disabled],
    ['opus-5', disabled],
  ])('ends the reasoning of Claude %s, which is told where it is asked for', (name, fields) => {
    const model = `us.anthropic.claude-${name}`;
    const { body, warnings } = written({ ...forced, reasoning: { effort: 'low' } }, model);
    expect(body).toMatchObject({ toolConfig: { toolChoice: { any: {} } } });
    expect(body.additionalModelRequestFields).toEqual(fields);
    expect(warnings).toEqual(['reasoning was turned off: this model cannot reason where it must call a tool']);
    const unasked = written(forced, model);
    expect([unasked.body.additionalModelRequestFields, unasked.warnings]).toEqual([fields, []]);
  });

  it('keeps the reasoning of Claude Fable 5, which always reasons', () => {
    const { body, warnings } = written({ ...forced, reasoning: { effort: 'low' } }, 'us.anthropic.claude-fable-5');
    expect(body).toMatchObject({
      additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      toolConfig: { toolChoice: { any: {} } },
    });
    expect(warnings).toEqual([]);
  });

  it.each(['opus-5-5', 'sonnet-5-5', 'fable-5-1'])('%s is asked in words for the call that it refuses', (name) => {
    const named = { ...forced, toolChoice: { type: 'tool', name: 'now' } as const };
    const { body, warnings } = written(named, `us.anthropic.claude-${name}`);
    expect(body).toMatchObject({ toolConfig: { toolChoice: { auto: {} } } });
    expect(JSON.stringify(body.messages)).toContain('Answer by calling the tool now.');
    expect(warnings).toEqual([expect.stringContaining('tool_choice became an instruction')]);
  });
});
