import { readFileSync } from 'node:fs';
import { countTextTokens } from './o200k';
import { tokensPerByte } from './text-density';

/** What a request really carries: its texts as JSON strings. */
const asJson = (text: string) => Buffer.from(JSON.stringify({ role: 'user', content: text }));
const noise = (letters: string, length: number) =>
  Array.from({ length }, (_, i) => letters[(i * i * 7_919 + i * 104_729) % letters.length]).join('');

describe('the tokens of a long text by its bytes', () => {
  it.each([
    ['code', readFileSync(__filename, 'utf8').repeat(10), 1, 1.9],
    ['English', 'The river runs through the old town, and nobody knows why it turns north.\n'.repeat(200), 1, 2],
    ['German', 'Die Geschwindigkeitsbegrenzung wird seit Jahren leidenschaftlich diskutiert. '.repeat(200), 0.9, 2],
    ['numbers', Array.from({ length: 4_000 }, (_, i) => (i * 0.73).toFixed(3)).join(','), 1, 1.8],
    ['hexadecimal', noise('0123456789abcdef', 20_000), 0.9, 1.8],
    ['letters', noise('abcdefghijklmnopqrstuvwxyz', 20_000), 0.9, 2],
    ['Chinese', '人工智能的发展正在改变我们的生活方式，许多公司都在投资这项技术。'.repeat(200), 1, 3],
    ['Russian', 'Искусственный интеллект меняет нашу жизнь и работу. '.repeat(200), 1, 4],
  ])('%s: errs upward, and not by much', (_what, text, least, most) => {
    const bytes = asJson(text);
    const ratio = (tokensPerByte(bytes, false) * bytes.length) / countTextTokens(text);
    expect(ratio).toBeGreaterThan(least);
    expect(ratio).toBeLessThan(most);
  });

  it('is one a byte where the text is short', () => {
    expect(tokensPerByte(asJson('short'), false)).toBe(1);
  });

  it('looks past data of media', () => {
    const text = Buffer.from('The river runs through the old town. '.repeat(500));
    const data = Buffer.alloc(text.length, noise('abcdefghijklmnopqrstuvwxyz0123456789', 997));
    expect(tokensPerByte(Buffer.concat([text, data]), true)).toBeLessThan(0.4);
    expect(tokensPerByte(data, true)).toBe(1);
  });
});
