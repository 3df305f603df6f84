import type { CanonicalRequest } from '../canonical/generation-request';
import { aRequest, bedrockTarget } from './target.fixture';
import { toConverseRequest } from './to-converse-request';

function written(overrides: Partial<CanonicalRequest>, model: string) {
  return toConverseRequest(aRequest(overrides), bedrockTarget(model));
}

describe('a tool that must be called', () => {
  it.each(['opus-4-8', 'sonnet-5', 'opus-5', 'fable-5'])('keeps the reasoning of Claude %s', (name) => {
    const forced = { tools: [{ name: 'now' }], toolChoice: { type: 'required' } as const };
    const { body, warnings } = written({ ...forced, reasoning: { effort: 'low' } }, `us.anthropic.claude-${name}`);
    expect(body).toMatchObject({
      additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      toolConfig: { toolChoice: { any: {} } },
    });
    expect(warnings).toEqual([]);
  });

  it.each(['opus-5-5', 'sonnet-5-5', 'fable-5-1'])('%s is asked in words for the call that it refuses', (name) => {
    const forced = { tools: [{ name: 'now' }], toolChoice: { type: 'tool', name: 'now' } as const };
    const { body, warnings } = written(forced, `us.anthropic.claude-${name}`);
    expect(body).toMatchObject({ toolConfig: { toolChoice: { auto: {} } } });
    expect(JSON.stringify(body.messages)).toContain('Answer by calling the tool now.');
    expect(warnings).toEqual([expect.stringContaining('tool_choice became an instruction')]);
  });
});
