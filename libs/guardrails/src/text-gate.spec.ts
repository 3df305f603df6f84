import { guardrail } from '@tollgate/contracts/catalog';
import type { Guardrail } from '@tollgate/contracts/catalog';
import fc from 'fast-check';
import { Guard } from './guard';
import { toRule } from './rule';

const define = (rules: object[]): Guardrail[] =>
  rules.map((rule) => guardrail.parse({ id: 'rule', appliesTo: 'both', action: 'redact', ...rule }));

function run(rules: object[], pieces: readonly string[]) {
  const told: string[] = [];
  const guard = new Guard(define(rules).map(toRule), (id, action) => told.push(`${id} ${action}`));
  const gate = guard.gate();
  const out = [...pieces.map((piece) => gate.push(piece)), gate.end()];
  return { out: out.join(''), blockedBy: gate.blockedBy, told, first: out[0] };
}

const pii = { kind: 'pii' };
const secret = { kind: 'regex', patterns: ['ACME-\\d{4,6}\\b'], longest: 20 };

describe('a text that comes in pieces', () => {
  const text = `Write to ada@example.com, or pay 4111 1111 1111 1111 (ACME-12345); ACME-123 is none. ${'Then more. '.repeat(30)}`;
  const clean = text
    .replace('ada@example.com', '[redacted:email]')
    .replace('4111 1111 1111 1111', '[redacted:credit-card]')
    .replace('ACME-12345', '[redacted:secret]');

  it('is the same wherever it is cut', () => {
    const rules = [pii, { ...secret, id: 'secret' }];
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 40 }), (cuts) => {
        const at = [0, ...cuts.sort((one, other) => one - other), text.length];
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        expect(run(rules, pieces)).toMatchObject({ out: clean, blockedBy: null });
      }),
    );
    expect(run(rules, [...text]).out).toBe(clean);
    expect(run(rules, [...text]).told).toEqual(['rule redact', 'secret redact']);
  });

  it('leaves as soon as no match can begin in it', () => {
    expect(run([secret], ['x'.repeat(100)]).first).toBe('x'.repeat(80));
  });

  it('is blocked before anything of the match has left, and nothing follows', () => {
    const blocking = [{ ...secret, id: 'secret', action: 'block' }];
    const { out, blockedBy, told } = run(blocking, [...'It is ACME-1234, you know, and nothing else that matters.']);
    expect(blockedBy).toBe('secret');
    expect('It is '.startsWith(out)).toBe(true);
    expect(told).toEqual(['secret block']);
    expect(run(blocking, [...'It is ACME-12']).blockedBy).toBeNull();
    expect(run(blocking, ['It is ACME-', '1234']).blockedBy).toBe('secret');
  });

  it('stays as it is where it is only flagged', () => {
    const flagging = [{ ...secret, action: 'flag' }];
    for (const pieces of [[...text], [text], ['ACME-', '123', '4']])
      expect(run(flagging, pieces)).toMatchObject({ out: pieces.join(''), blockedBy: null, first: pieces[0] });
    expect(run(flagging, [...text]).told).toEqual(['rule flag']);
    expect(run(flagging, ['ACME-', '123', '4']).told).toEqual(['rule flag']);
    expect(run(flagging, ['ACME-', '123', '4x']).told).toEqual([]);
  });

  it('has one mark where two rules found the same', () => {
    const rules = [
      { kind: 'regex', id: 'long', patterns: ['aa+b'] },
      { kind: 'regex', id: 'short', patterns: ['ab', 'bc'] },
    ];
    expect(run(rules, ['xaaabcx']).out).toBe('x[redacted:long]x');
  });
});

describe('a text that is written in another way', () => {
  const card = '4111 1111 1111 1111';
  const zeroWidth = '\u200b';
  const tagged = (ascii: string) =>
    Array.from(ascii, (one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join('');
  const rules = [
    pii,
    { ...secret, id: 'secret' },
    { kind: 'regex', id: 'word', patterns: ['\\bsesame\\b', 'тайна'] },
    { kind: 'regex', id: 'stroke', patterns: ['bank loop'] },
  ];
  const written: readonly (readonly [string, string, string])[] = [
    ['zero-width characters', [...card].join(zeroWidth), '[redacted:credit-card]'],
    ['many of them', [...'ACME-1234'].join(zeroWidth.repeat(300)), '[redacted:secret]'],
    ['soft hyphens', 'ses\u00adame', '[redacted:word]'],
    ['control characters', 'se\u0000s\u007fam\u0080e', '[redacted:word]'],
    ['marks of direction', '\u202ese\u2066same', '\u202e[redacted:word]'],
    ['full-width forms', 'ＡＣＭＥ－１２３４', '[redacted:secret]'],
    ['mathematical letters', '𝐬𝐞𝐬𝐚𝐦𝐞', '[redacted:word]'],
    ['Cyrillic and Greek letters', 'ѕеѕαmе', '[redacted:word]'],
    ['letters with accents', 's\u00e9s\u00e0m\u1ebf', '[redacted:word]'],
    ['accents that follow their letters', 'se\u0301sa\u0300me\u0302\u0301', '[redacted:word]'],
    ['small capitals', '\ua731\u1d07\ua731\u1d00\u1d0d\u1d07', '[redacted:word]'],
    ['letters with strokes', 'b\u00e5n\u0199 \u0142o\u00f8p', '[redacted:stroke]'],
    ['marks that look like letters', 'bank l\u0d02\u0d02p', '[redacted:stroke]'],
    ['digits of another script', '٤١١١ ١١١١ ١١١١ ١١١١', '[redacted:credit-card]'],
    ['enclosed digits and marks', 'ACME-①2̲3️⃣4', '[redacted:secret]'],
    ['white letters on black', '🅐🆂🅼🅴 🅐🅲🅼🅴-❶➁➌⓸', '🅐🆂🅼🅴 [redacted:secret]'],
    ['letters of flags', '🇦🇨🇲🇪-⓿🄌➀⓵', '[redacted:secret]'],
    ['tags, which a model reads', tagged('sesame'), '[redacted:word]'],
    ['tags among letters', `AC${tagged('ME-12')}34`, '[redacted:secret]'],
    ['tags that say something else', [...'ѕеsаmе'].join(tagged('x')), '[redacted:word]'],
    ['spaces and hyphens of other kinds', '4111\u20091111\u00a01111‑1111', '[redacted:credit-card]'],
    ['capital I of another script', 'AKΙAIOSFODNN7EXAMPLE', '[redacted:api-key]'],
    ['letters that a pattern names', 'та\u200bйна', '[redacted:word]'],
    ['the text itself', 'ACME-1234', '[redacted:secret]'],
  ];

  it.each(written)('is found behind %s, wherever it was cut, and only it is taken out', (_name, text, clean) => {
    const [before, after] = ['Я — “naïve” ', ' is all, 日本 👩‍👩‍👧. Nothing more of it. '.repeat(20)];
    const whole = before + text + after;
    expect(run(rules, [whole]).out).toBe(before + clean + after);
    expect(run(rules, [...whole]).out).toBe(before + clean + after);
    const halves = [whole.slice(0, whole.length / 30), whole.slice(whole.length / 30)];
    expect(run(rules, halves).out).toBe(before + clean + after);
    expect(
      run(
        rules.map((rule) => ({ ...rule, action: 'block' })),
        [...whole],
      ).blockedBy,
    ).not.toBeNull();
    expect(
      run(
        rules.map((rule) => ({ ...rule, action: 'flag' })),
        [...whole],
      ).told,
    ).toHaveLength(1);
  });

  it('is left as it is where nothing is found', () => {
    const text = 'Straße, naïve, Ελλάδα, Москва, 日本語, עברית, العربية, ﬁne, 👩‍👩‍👧, e\u0301, ½, 🇫🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🅿 ➊ 5 ´ 3. '.repeat(
      30,
    );
    expect(run(rules, [...text])).toMatchObject({ out: text, told: [] });
    expect(run(rules, [text])).toMatchObject({ out: text, told: [] });
  });

  it('costs in proportion to it, also where nobody sees anything', () => {
    let looks = 0;
    const [rule] = define([secret]).map(toRule);
    const counting = {
      ...rule,
      id: 'r',
      action: 'redact' as const,
      longest: 20,
      find: (text: string) => ((looks += text.length), []),
    };
    const gate = new Guard([counting], () => undefined).gate();
    for (let count = 0; count < 50_000; count++) gate.push(zeroWidth);
    gate.end();
    expect(looks).toBeLessThan(20 * 50_000);
  });
});

describe('texts that follow one another', () => {
  const checked = (rules: object[], texts: string[]) => {
    const steps = new Guard(define(rules).map(toRule), () => undefined).check(texts);
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
  };

  it.each([
    [
      ['pay 4111 1111', ' 1111 1111 now'],
      ['pay [redacted:credit-card]', ' now'],
    ],
    [
      ['4111', '', ' 1111 ', '1111 1111', ' x'],
      ['[redacted:credit-card]', '', '', '', ' x'],
    ],
    [
      ['ada@exam', 'ple.com and bob@example.com'],
      ['[redacted:email]', ' and [redacted:email]'],
    ],
    [
      ['ada@example.com', ' word'],
      ['[redacted:email]', ' word'],
    ],
    // Nobody knows where the address ends: rather too much than too little.
    [
      ['ada@example.com', 'word'],
      ['[redacted:email]', ''],
    ],
    [
      ['one', 'two'],
      ['one', 'two'],
    ],
  ])('%j are looked at as one, and each by itself', (texts, clean) => {
    expect(checked([pii], texts)).toEqual({ texts: clean, blockedBy: null });
    const found = clean.some((text) => text.includes('redacted'));
    expect(checked([{ ...pii, action: 'block' }], texts).blockedBy).toBe(found ? 'rule' : null);
  });

  it('are the same whatever they are split into', () => {
    const text = `${'Nothing here. '.repeat(20)}ACME-12345 and 4111 1111 1111 1111, ACME-1234.`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((one, other) => one - other), text.length];
        const texts = at.slice(1).map((end, index) => text.slice(at[index], end));
        const { texts: left } = checked([pii, { ...secret, id: 'secret' }], texts);
        expect(left.join('')).not.toMatch(/4111|ACME/);
      }),
    );
  });
});
