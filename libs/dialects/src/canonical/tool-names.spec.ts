import { geminiNames } from '../gemini/gemini-names';
import { aRequest } from '../builders.fixture';
import { plainNames, ToolNames } from './tool-names';

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
    const map = new ToolNames(aRequest({ tools: names.map((name) => ({ name })) }), geminiNames);
    const foreign = names.map((name) => map.to(name));
    expect(foreign.slice(0, 2)).toEqual(names.slice(0, 2));
    expect(new Set(foreign).size).toBe(names.length);
    for (const name of foreign) expect(name).toMatch(/^[A-Za-z_][\w.:-]{0,127}$/);
    expect(foreign.map((name) => map.from(name))).toEqual(names);
  });

  it('of MCP fit 64 characters, whatever other tools there are, in offers, calls and choices', () => {
    const long = `mcp__${'server'.repeat(12)}__read/file`;
    const request = aRequest({
      tools: [{ name: 'a.b' }, { name: long }],
      toolChoice: { type: 'tool', name: long },
      messages: [{ role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: long, arguments: '{}' }] }],
    });
    const names = new ToolNames(request, plainNames(64));
    const short = new ToolNames(aRequest({ tools: [{ name: long }] }), plainNames(64)).to(long);
    expect(short).toMatch(/^mcp__server[a-z]+_[0-9a-f]{8}$/);
    expect(short.length).toBeLessThanOrEqual(64);
    expect(names.renamed()).toMatchObject({
      tools: [{ name: 'a_b' }, { name: short }],
      toolChoice: { name: short },
      messages: [{ parts: [{ name: short }] }],
    });
    expect(names.from(short)).toBe(long);
  });

  it('that would all become one are told apart, each with a few looks, however many there are', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => String.fromCharCode(0x4e00 + index));
    const looks = jest.spyOn(Map.prototype, 'has');
    const map = new ToolNames(aRequest({ tools: names.map((name) => ({ name })) }), plainNames(64));
    const looked = looks.mock.calls.length;
    looks.mockRestore();
    expect(new Set(names.map((name) => map.to(name))).size).toBe(names.length);
    expect(looked).toBeLessThan(5 * names.length);
  });

  it('that are legal leave the request as it is', () => {
    const request = aRequest({ tools: [{ name: 'f' }] });
    expect(new ToolNames(request, plainNames(64)).renamed()).toBe(request);
  });
});
