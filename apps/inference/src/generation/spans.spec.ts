import { ToldModel } from './spans';

function toldBy(...pieces: string[]): string | null {
  const told = new ToldModel();
  for (const piece of pieces) told.push(Buffer.from(piece));
  return told.name;
}

describe('the model that an answer names', () => {
  it.each([
    [
      'chat completions',
      'data: {"id":"c","object":"chat.completion.chunk","model":"gpt-5.4-mini-2026-03","choices":[]}',
    ],
    ['messages', 'event: message_start\ndata: {"type":"message_start","message":{"model": "gpt-5.4-mini-2026-03"}}'],
    ['Gemini', '{"candidates":[],"modelVersion":"gpt-5.4-mini-2026-03"}'],
  ])('is read from %s', (_dialect, answer) => {
    expect(toldBy(answer)).toBe('gpt-5.4-mini-2026-03');
    expect(toldBy(...answer)).toBe('gpt-5.4-mini-2026-03');
  });

  it('is not what the text of an answer says', () => {
    expect(toldBy(JSON.stringify({ content: 'Say {"model":"evil"}.' }))).toBeNull();
  });

  it('is not looked for behind the beginning', () => {
    expect(toldBy('x'.repeat(5_000), '"model":"late"')).toBeNull();
  });
});
