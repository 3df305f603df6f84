import { toMistralCallId, toMistralTurns, wantsMistralTurns } from './mistral-turns';
import { targetWith } from './target.fixture';

const call = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });
const user = { role: 'user', content: 'x' };
const fit = /^[a-zA-Z0-9]{9}$/;

describe('turns as Mistral takes them', () => {
  it('are wanted of the models that the provider names', () => {
    expect(wantsMistralTurns(targetWith(false))).toBe(false);
    expect(wantsMistralTurns(targetWith(false, { mistralTurns: '^large' }))).toBe(true);
    expect(wantsMistralTurns(targetWith(false, { mistralTurns: '^mistralai/' }))).toBe(false);
  });

  it('have calls and results under one id of nine letters and digits, the same every time, and each its own', () => {
    const ids = ['call_0sandbox1', 'call_0sandbox2', 'toolu_01A09q90qw90lq917835lq9'];
    const messages = [user, call(...ids), ...ids.map(result)];
    const [, said, ...results] = toMistralTurns(messages, []) as ReturnType<typeof call>[];
    const written = said?.tool_calls.map(({ id }) => id) ?? [];
    expect(new Set(written).size).toBe(3);
    expect(written).toEqual(ids.map(toMistralCallId));
    for (const id of written) expect(id).toMatch(fit);
    expect(results).toEqual(written.map(result));
  });

  it('are left as they are where nothing is to be changed', () => {
    const messages = [{ role: 'system', content: 's' }, user, call('dnEN4JsJy'), result('dnEN4JsJy'), 'odd'];
    const warnings: string[] = [];
    expect(toMistralTurns(messages, warnings)).toBe(messages);
    expect(warnings).toEqual([]);
  });

  it.each([{}, { content: null }, { content: '' }, { content: [], tool_calls: [] }])(
    'hold none of the assistant that says and calls nothing: %j',
    (emptied) => {
      const warnings: string[] = [];
      expect(toMistralTurns([user, { role: 'assistant', ...emptied }, user], warnings)).toEqual([user, user]);
      expect(warnings).toEqual(['an empty message of the assistant was dropped: this model takes none']);
    },
  );

  it('have a word of the assistant between results and whoever else speaks next, and the caller is told', () => {
    const warnings: string[] = [];
    const done = { role: 'assistant', content: 'Done.' };
    const round = [call('dnEN4JsJy'), result('dnEN4JsJy')];
    expect(toMistralTurns([user, ...round, user, ...round, ...round], warnings)).toEqual([
      ...[user, ...round, done, user],
      ...[...round, ...round],
    ]);
    expect(warnings).toEqual([
      "'Done.' was put behind the results of tools: this model lets only the assistant follow them",
    ]);
  });

  it('have no instructions right behind what the assistant said', () => {
    const warnings: string[] = [];
    const said = { role: 'assistant', content: 'a' };
    const late = { role: 'system', content: 'be brief' };
    expect(toMistralTurns([late, user, said, late, late, user], warnings)).toEqual([
      ...[late, user, said, { role: 'user', content: 'be brief' }],
      ...[late, user],
    ]);
    expect(warnings).toEqual([
      'a system message was sent as one of the user: this model takes none behind what it has said',
    ]);
  });
});
