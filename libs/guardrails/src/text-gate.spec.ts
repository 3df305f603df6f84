import type { Guardrail } from '@tollgate/contracts';
import { guardrail } from '@tollgate/contracts';
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
