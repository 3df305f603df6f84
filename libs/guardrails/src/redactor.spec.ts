import { personalDataKinds } from '@tollgate/contracts/catalog';
import { Redactor } from './redactor';

const redactor = new Redactor([...personalDataKinds], ['\\bPROJECT-[A-Z]+\\b']);
const filling = 'Nothing to see here. '.repeat(200);
const token = `eyJ${'a'.repeat(400)}.eyJ${'b'.repeat(900)}.${'c'.repeat(400)}`;

it('marks what detectors and patterns find, and counts the places', () => {
  expect(redactor.redact('ada@example.com and bob@example.com on PROJECT-HERON', 1_000)).toEqual({
    text: '[redacted:email] and [redacted:email] on [redacted:pattern]',
    found: 3,
  });
  expect(redactor.redact(`${filling}${token} ${filling}`, 100_000)).toEqual({
    text: `${filling}[redacted:api-key] ${filling}`,
    found: 1,
  });
  expect(redactor.redact('', 0)).toEqual({ text: '', found: 0 });
});

it('counts a place in texts that follow one another once, though it is looked at twice', () => {
  expect(redactor.redactAll(['ada@example.com and', ' PROJECT-', 'HERON'])).toEqual({
    texts: ['[redacted:email] and', ' [redacted:pattern]', ''],
    found: 2,
  });
});

it.each([
  ['a token', token],
  ['an address', 'ada.lovelace@analytical-engines.example.com'],
  ['a card', '4111 1111 1111 1111'],
])('tells no part of %s, wherever the text is cut', (_name, datum) => {
  const text = `${filling}${datum} ${filling}`;
  for (let most = filling.length - 2_100; most <= filling.length + datum.length; most += 7) {
    const told = redactor.redact(text, most).text;
    expect(told.length).toBeGreaterThanOrEqual(Math.min(most, filling.length));
    expect(filling.startsWith(told) || told.startsWith(`${filling}[redacted:`)).toBe(true);
  }
});
