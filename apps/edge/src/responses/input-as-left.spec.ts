import { inputAsLeft } from './input-as-left';

const message = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const kept = (texts: string[], left: unknown): unknown =>
  JSON.parse(inputAsLeft(Buffer.from(JSON.stringify(texts.map(message))), left).toString());

describe('a turn whose request a guardrail has changed', () => {
  it('is kept as the guardrail has left it, without what went before', () => {
    const left = { input: [message('before'), message('also before'), message('a [redacted]'), message('b')] };
    expect(kept(['a secret', 'b'], left)).toEqual([message('a [redacted]'), message('b')]);
  });

  it('is kept as a message where its input was a text', () => {
    expect(kept(['a secret'], { input: 'a [redacted]' })).toEqual([message('a [redacted]')]);
  });

  it('brings nothing where nothing was new in it', () => {
    expect(kept([], { input: [message('before')] })).toEqual([]);
  });
});
