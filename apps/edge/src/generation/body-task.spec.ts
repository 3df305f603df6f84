import { fromFailureElsewhere, GatewayError, surfaceNames } from '@tollgate/contracts';
import { guardrail } from '@tollgate/contracts/catalog';
import { contentLogRules } from '@tollgate/contracts/metering';
import { GuardrailSet } from '@tollgate/guardrails';
import { guardedBody } from './guarded-body';
import { surfaceSamples } from '../testing/surface-samples';
import { BodyWorker, toBuffer } from './body-task';
import type { BodyAnswer, BodyTask, LookWish } from './body-task';

const chat = '/v1/chat/completions';
const nothing: LookWish = { guard: null, log: null, isNamed: false, turnInput: null };

const toBody = (value: unknown) => Buffer.from(JSON.stringify(value));
const bodyIn = ({ body }: BodyAnswer): unknown => JSON.parse(toBuffer(body).toString());
const refusalIn = (error: unknown) => error instanceof GatewayError && error.body;
const done = (body: unknown, task: BodyTask) => new BodyWorker().answerTo({ body: toBody(body), task });

describe('reading on a thread', () => {
  it('gives a body back in the form of its own surface, with the facts of that', () => {
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'Grüße' }] }];
    const tools = [{ type: 'function', name: 'look', parameters: {} }];
    const task = { name: 'read', path: chat, asker: { quotaTokens: null, providerHeaders: {} } } as const;
    const answer = done({ model: 'p/m', input, tools }, task);
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Grüße' }] }];
    const nested = [{ type: 'function', function: { name: 'look', parameters: {} } }];
    expect(bodyIn(answer)).toEqual({ model: 'p/m', messages, tools: nested });
    expect(answer.read).toMatchObject({ read: { model: 'p/m' }, textBytes: answer.body.length });
    expect(new BodyWorker().answerTo({ body: answer.body, task }).body.buffer).toBe(answer.body.buffer);
  });

  it('refuses as the event loop does, with what programs act on', () => {
    const body = { model: 'p/m', messages: [{ role: 'user', content: 'Hi' }], n: 1_000 };
    expect(done(body, { name: 'read', path: chat, asker: { quotaTokens: null, providerHeaders: {} } })).toMatchObject({
      failure: { refusal: { status: 400, message: expect.stringContaining("'n'") } },
    });
  });

  it('tells a fault of ours apart', () =>
    expect(done({}, { name: 'count', path: '/nowhere' }).failure).toEqual({
      fault: expect.stringContaining('nothing is asked for at /nowhere'),
    }));
});

it('counts the words of a body, not the signs around them', () => {
  const body = { model: 'p/m', messages: [{ role: 'user', content: 'Hi' }], metadata: new Array(100_000).fill([]) };
  expect(done(body, { name: 'count', path: chat }).tokens).toBe(8);
});

/** The words in each text of a body, in every place where a surface has texts. */
const bodiesSaying = (words: string) =>
  surfaceNames.flatMap((name) => {
    const text = JSON.stringify(surfaceSamples[name].request);
    return ['Hello', 'hello', 'hi'].flatMap((said) =>
      text.includes(said) ? [JSON.parse(text.replaceAll(said, JSON.stringify(words).slice(1, -1))) as object] : [],
    );
  });

/**
 * A secret in several writings, over parts, in arguments of a call, beside media, in a name; and words that
 * are none.
 */
const corpus = [
  ...[
    'a secret',
    'a\u200b se\u00adcret',
    'ａ ｓｅｃｒｅｔ',
    'data:a secret',
    'sec\\nret',
    'nothing',
    '4111 1111 1111 1111',
  ].flatMap(bodiesSaying),
  { messages: [{ content: ['a se', 'cret'].map((text) => ({ type: 'text', text })) }] },
  { messages: [{ content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,c2VjcmV0' } }] }] },
  { messages: [{ tool_calls: [{ function: { name: 'f', arguments: '{"to":"a secret","n":4111111111111111}' } }] }] },
  { messages: [{ name: 'a secret', content: 'Hi' }], metadata: { a: 4_111_111_111_111_111, b: 'a secret' } },
  {
    input: [
      { type: 'reasoning', encrypted_content: 'a secret' },
      { role: 'user', content: 'a secret' },
    ],
  },
];

describe.each(['block', 'redact', 'flag'] as const)('guardrails on a thread that %s', (action) => {
  const rules = [
    guardrail.parse({ id: 'words', kind: 'regex', patterns: ['a secret'], appliesTo: 'both', action }),
    guardrail.parse({ id: 'personal', kind: 'pii', appliesTo: 'input', action }),
    guardrail.parse({ id: 'answers', kind: 'regex', patterns: ['nothing'], appliesTo: 'output', action }),
    guardrail.parse({ id: 'others', kind: 'regex', patterns: ['H'], keys: ['k2'], appliesTo: 'input', action }),
  ];
  const asked = { keyId: 'k', model: 'p/m' };
  const worker = new BodyWorker();

  it('say of every body what they say on the event loop', () => {
    const seen = corpus.map((body) => {
      const found: string[] = [];
      const guard = new GuardrailSet(rules, 'input').guardFor(asked, (id, what) => found.push(`${id} ${what}`));
      let here: object;
      try {
        here = { left: guard && guardedBody(guard, body, toBody(body)), found };
      } catch (error) {
        here = { refusal: refusalIn(error), found };
      }
      const wish = { ...nothing, guard: { ...asked, rules: JSON.stringify(rules) } };
      const answer = worker.answerTo({ body: toBody(body), task: { name: 'look', wish } });
      const told = answer.found.map(({ guardrail: id, action: what }) => `${id} ${what}`);
      const there = answer.failure
        ? { refusal: refusalIn(fromFailureElsewhere(answer.failure)) }
        : { left: bodyIn(answer) };
      expect({ ...there, found: told }).toEqual(here);
      return found.length > 0;
    });
    expect(seen.filter(Boolean).length).toBeGreaterThan(20);
    expect(seen.filter((isFound) => !isFound).length).toBeGreaterThan(5);
  });
});

it('a thread has everything else that a body is wanted for, as guardrails left it', () => {
  const rules = [
    guardrail.parse({ id: 'w', kind: 'regex', patterns: ['secret'], appliesTo: 'input', action: 'redact' }),
  ];
  const log = contentLogRules.parse({ retentionDays: 1, maxBodyBytes: 10_000, detectors: ['email'], patterns: [] });
  const input = [
    { role: 'user', content: 'old' },
    { role: 'user', content: 'a secret of ada@example.com' },
  ];
  const wish: LookWish = {
    guard: { rules: JSON.stringify(rules), keyId: 'k', model: 'p/m' },
    log,
    isNamed: true,
    turnInput: Buffer.from(JSON.stringify(input.slice(1))),
  };
  const answer = done({ model: 'p/m', input }, { name: 'look', wish });
  const { looked } = answer;
  expect(looked?.isChanged).toBe(true);
  expect(JSON.stringify(bodyIn(answer))).not.toContain('secret');
  expect(looked?.redacted?.text).toMatch(/^\{"model":"p\/m"/);
  expect(looked?.redacted?.text).not.toMatch(/secret|ada@/);
  expect(JSON.parse(Buffer.from(looked?.turnInput ?? []).toString())).toHaveLength(1);
  const again = new BodyWorker().answerTo({
    body: answer.body,
    task: { name: 'look', wish: { ...nothing, isNamed: true } },
  });
  expect(again.looked?.digest).toBe(looked?.digest);
});
