import { asLeft } from './stateful-requests';
import type { TurnToKeep } from './stateful-requests';

const key = { id: 'key', accountId: 'account' } as unknown as TurnToKeep['key'];
const message = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const turnOf = (...texts: string[]): TurnToKeep => ({
  key,
  bornAt: 1,
  previous: { id: 'resp_1', bornAt: 0 },
  input: Buffer.from(JSON.stringify(texts.map(message))),
});
const inputOf = (turn: TurnToKeep): unknown => JSON.parse(turn.input.toString());

describe('a turn whose request a guardrail has changed', () => {
  it('is kept as the guardrail has left it, without what went before', () => {
    const left = { input: [message('before'), message('also before'), message('a [redacted]'), message('b')] };
    expect(inputOf(asLeft(turnOf('a secret', 'b'), left))).toEqual([message('a [redacted]'), message('b')]);
  });

  it('is kept as a message where its input was a text', () => {
    expect(inputOf(asLeft(turnOf('a secret'), { input: 'a [redacted]' }))).toEqual([message('a [redacted]')]);
  });

  it('brings nothing where nothing was new in it', () => {
    expect(inputOf(asLeft(turnOf(), { input: [message('before')] }))).toEqual([]);
  });
});
