import { aRequest } from './target.fixture';
import { ToolNames } from './tool-names';

describe('names of tools', () => {
  it('come back as they were, also those that Gemini would refuse, and no two become one', () => {
    const names = [
      'get_weather',
      'a.b:c-d',
      '1st',
      'über',
      '_ber',
      'x y',
      'x_y',
      'n'.repeat(200),
      `${'n'.repeat(199)}m`,
    ];
    const map = new ToolNames(aRequest({ tools: names.map((name) => ({ name })) }));
    const foreign = names.map((name) => map.toGemini(name));
    expect(foreign.slice(0, 2)).toEqual(names.slice(0, 2));
    expect(new Set(foreign).size).toBe(names.length);
    for (const name of foreign) expect(name).toMatch(/^[A-Za-z_][\w.:-]{0,127}$/);
    expect(foreign.map((name) => map.fromGemini(name))).toEqual(names);
  });
});
