import { modelKindOf, surfaceNames } from '@tollgate/contracts';
import type { SurfaceName } from '@tollgate/contracts';
import { guardrail } from '@tollgate/contracts/catalog';
import type { Guardrail } from '@tollgate/contracts/catalog';
import { surfaces } from '@tollgate/dialects/surface';
import { EdgeRig, eventually, question } from '../testing/edge-rig';
import { surfaceSamples } from '../testing/surface-samples';

let rig: EdgeRig;
let apiKey: string;
let logging: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  apiKey = rig.accounts.create({ id: 'guarded', quotaTokens: 1_000_000 });
  rig.accounts.create();
  logging = rig.accounts.create({ id: 'logging', logContent: true });
  const rules = { retentionDays: 1, maxBodyBytes: 4_096, detectors: [], patterns: [] };
  rig.catalog.change({ contentLog: rules });
});
afterAll(() => rig.stop());

/** Takes guardrails into force at the edge: each has its id for its pattern, unless it says otherwise. */
async function use(...rules: { id: string; action: Guardrail['action']; [field: string]: unknown }[]): Promise<void> {
  const defaults = ({ id }: { id: string }) => ({ kind: 'regex', patterns: [id], appliesTo: 'input' });
  const guardrails = rules.map((rule) => guardrail.parse('kind' in rule ? rule : { ...defaults(rule), ...rule }));
  const marker = guardrail.parse({
    id: 'marker',
    kind: 'regex',
    patterns: [`in force ${Math.random()}`],
    appliesTo: 'input',
    action: 'block',
  });
  rig.catalog.change({ guardrails: [...guardrails, marker] });
  const [text] = 'patterns' in marker ? marker.patterns : [];
  await eventually(async () => (await ask(text ?? '')).status === 400, 10_000);
}

const ask = (content: unknown, key = apiKey, more: object = {}) =>
  rig.chat(key, { ...question, messages: [{ role: 'user', content }], ...more });
const sent = () =>
  JSON.parse(Buffer.from(rig.inference.calls.at(-1)?.body ?? '').toString()) as Record<string, unknown>;
const findingsOf = async (id: string) => {
  const metrics = await (await fetch(`http://127.0.0.1:${rig.internalPort}/metrics`)).text();
  return Number(
    new RegExp(`edge_guardrail_findings_total\\{[^}]*guardrail="${id}"[^}]*\\} (\\d+)`).exec(metrics)?.[1] ?? 0,
  );
};
const pathOf = (name: string) => surfaces.find((surface) => surface.name === name)?.path ?? '';

it.each(surfaceNames)(
  'a blocked request of %s is told in its shape, reaches nobody and costs nothing',
  async (name) => {
    await use({ id: 'hello', action: 'block', ignoreCase: true });
    const before = rig.inference.calls.length;
    const ids: (string | null)[] = [];
    for (const stream of [false, true]) {
      const response = await rig.post(pathOf(name), apiKey, { ...surfaceSamples[name].request, stream });
      expect(response.status).toBe(400);
      ids.push(response.headers.get('x-request-id'));
      const body = (await response.json()) as Record<string, unknown>;
      expect(body.error).toEqual({
        message: 'The request was blocked by the guardrail hello.',
        type: 'invalid_request_error',
        code: 400,
        reason: 'guardrail_blocked',
        guardrail: 'hello',
      });
      expect(body.type).toBe(name === 'anthropic-messages' ? 'error' : undefined);
    }
    expect(rig.inference.calls.length).toBe(before);
    expect(rig.metering.events.filter(({ requestId }) => ids.includes(requestId))).toEqual([]);
    expect(rig.metering.heldTokens('guarded')).toBeLessThan(1_000_000);
  },
);

it('what is redacted does not go on, and everything else does as it was', async () => {
  await use({ id: 'personal', action: 'redact', kind: 'pii', appliesTo: 'input' });
  const content = [
    { type: 'text', text: 'Write to ada@example.com about 4111 1111 1111 1111.' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,4111111111111111' } },
  ];
  const messages = [
    { role: 'user', content },
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"to":"ada@example.com","n":1}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'ada@example.com' },
  ];
  const asked = { ...question, messages, a_new_field: { kept: [1.5] } };
  expect((await rig.chat(apiKey, asked)).status).toBe(200);
  const [, picture] = content;
  const text = 'Write to [redacted:email] about [redacted:credit-card].';
  expect(sent()).toEqual({
    ...asked,
    messages: [
      { role: 'user', content: [{ type: 'text', text }, picture] },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'f', arguments: '{"to":"[redacted:email]","n":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: '[redacted:email]' },
    ],
  });
});

it.each(surfaceNames.filter((name) => modelKindOf(name) === 'generation'))(
  'no way of writing it takes a text of %s past its guardrails',
  async (name) => {
    const card = '4111 1111 1111 1111';
    await use({ id: 'cards', action: 'block', kind: 'pii', detectors: ['credit-card'], appliesTo: 'input' });
    const asked = (content: unknown) => {
      const { messages: _messages, input, ...rest } = { ...surfaceSamples[name].request } as Record<string, unknown>;
      const turns = [{ role: 'user', content }];
      return rig.post(pathOf(name), apiKey, {
        ...rest,
        ...(input === undefined ? { messages: turns } : { input: turns }),
      });
    };
    const type = name === 'openai-responses' ? 'input_text' : 'text';
    const parts = (...texts: string[]) => texts.map((text) => ({ type, text }));
    expect((await asked('data: nothing to see')).status).toBe(200);
    for (const content of [
      `data: ${card}`,
      `data:image/png;base64,${card}`,
      parts(`data:text/plain,${card}`),
      parts('4111 1111', ' 1111 1111'),
      [...card].join('\u200b'),
      [...card].join('\0'),
      card.replaceAll('1', '１'),
    ])
      expect([content, (await asked(content)).status]).toEqual([content, 400]);
  },
);

it('what a later member of the same name hides does not go on', async () => {
  const text = (content: string) => `"messages":[{"role":"user",${content}}]`;
  const body = `{"model":"${question.model}",${text('"content":"a secret","content":"hi"')},"seed":1}`;
  const goneOn = () => Buffer.from(rig.inference.calls.at(-1)?.body ?? '').toString();
  await use({ id: 'secret', action: 'block' });
  expect((await rig.chat(apiKey, body)).status).toBe(200);
  expect(goneOn()).toBe(`{"model":"${question.model}",${text('"content":"hi"')},"seed":1}`);
  // By a thread.
  const filling = `"user":"${'x '.repeat(50_000)}"`;
  expect((await rig.chat(apiKey, body.replace('"seed":1', filling))).status).toBe(200);
  expect(goneOn()).toBe(`{"model":"${question.model}",${text('"content":"hi"')},${filling}}`);
});

it('of what no guardrail holds for every byte goes on', async () => {
  await use({ id: 'secret', action: 'block' });
  const free = rig.accounts.create({ id: 'free' });
  const rule = { kind: 'regex', patterns: ['secret'], appliesTo: 'input', action: 'block', keys: ['guarded'] };
  rig.catalog.change({ guardrails: [guardrail.parse({ id: 'other', ...rule })] });
  const body = `{"model": "${question.model}","messages":[{"role":"user","content":"a secret","content":"hi"}]}`;
  await eventually(async () => {
    await rig.chat(free, body);
    return Buffer.from(rig.inference.calls.at(-1)?.body ?? '').toString() === body;
  }, 10_000);
});

it('what is taken out of a schema leaves one that providers take', async () => {
  await use({ id: 'personal', action: 'redact', kind: 'pii', appliesTo: 'input' });
  const strict = (names: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'integer', maximum: 9_007_199_254_740_991 }])),
    required: names,
    additionalProperties: false,
  });
  const tool = (parameters: object) => ({ type: 'function', function: { name: 'write', strict: true, parameters } });
  const tools = [tool(strict(['ada@example.com', 'bob@example.com', 'else']))];
  expect((await ask('hi', apiKey, { tools })).status).toBe(200);
  expect(sent().tools).toEqual([tool(strict(['_redacted_email_', '_redacted_email__2', 'else']))]);
});

it('what a text is redacted of does not go on in another writing of it, nor in a name', async () => {
  await use({ id: 'personal', action: 'redact', kind: 'pii', appliesTo: 'input' });
  const messages = [
    { role: 'user', name: 'ada@example.com', content: 'data: а\u0064a@exa\u00admple.com, yes' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'It is 4111 1111' },
        { type: 'text', text: ' 1111 1111, ok?' },
      ],
    },
  ];
  expect((await rig.chat(apiKey, { ...question, messages })).status).toBe(200);
  expect(sent().messages).toEqual([
    { role: 'user', name: '_redacted_email_', content: 'data: [redacted:email], yes' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'It is [redacted:credit-card]' },
        { type: 'text', text: ', ok?' },
      ],
    },
  ]);
});

it.each<[string, SurfaceName, object, Record<string, string>]>([
  ['user', 'openai-chat', { user: 'ada@example.com' }, {}],
  ['safety_identifier', 'openai-responses', { safety_identifier: 'ada@example.com' }, {}],
  ['metadata.user_id', 'anthropic-messages', { metadata: { user_id: 'ada@example.com' } }, {}],
  ['headers', 'openai-chat', {}, { 'x-session-id': 'ada@example.com', 'x-tollgate-tags': 'prod,by=ada@example.com' }],
])('what is redacted is told of by a digest where %s names it', async (_by, surface, members, headers) => {
  await use({ id: 'personal', action: 'redact', kind: 'pii', appliesTo: 'input' });
  const before = await findingsOf('personal');
  const own = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers };
  const body = { ...surfaceSamples[surface].request, ...members };
  const answer = await rig.post(pathOf(surface), apiKey, body, { headers: own });
  expect(answer.status).toBe(200);
  await answer.text();
  const id = answer.headers.get('x-request-id');
  const eventOf = () => rig.metering.events.find(({ requestId }) => requestId === id);
  await eventually(() => eventOf() !== undefined);
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  const isNamedByBody = Object.keys(members).length > 0;
  expect(eventOf()?.attribution).toEqual(
    isNamedByBody ? { endUser: digest } : { session: digest, tags: ['prod', digest] },
  );
  expect((await findingsOf('personal')) - before).toBe(isNamedByBody ? 1 : 0);
});

it('a very long request is looked through by a thread, and all of it', async () => {
  await use({ id: 'secret', action: 'redact' }, { id: 'forbidden', action: 'block' });
  const filling = 'Nothing to see here. '.repeat(5_000);
  const texts = (end: string) => [`${filling}secret`, `${filling}${filling}`, 'short secret', `${filling}${end}`];
  const content = (end: string) => texts(end).map((text) => ({ type: 'text', text }));
  expect((await ask(content('end'))).status).toBe(200);
  const redacted = content('end').map(({ type, text }) => ({
    type,
    text: text.replace('secret', '[redacted:secret]'),
  }));
  expect(sent().messages).toEqual([{ role: 'user', content: redacted }]);
  expect((await ask(content('forbidden'))).status).toBe(400);
});

it('a dear request is looked through by a thread, and no part of the work on it is done on the event loop', async () => {
  await use({ id: 'personal', action: 'redact', kind: 'pii', appliesTo: 'input' }, { id: 'taboo', action: 'block' });
  const metadata = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`member ${index}`, 0]));
  const dear = (text: string) =>
    JSON.stringify({ ...question, messages: [{ role: 'user', content: text }], metadata: { ...metadata, text } });
  const bodies = ['Write to ada@example.com.', 'a taboo word', 'nothing'].map(dear);
  const headers = { authorization: `Bearer ${logging}`, 'content-type': 'application/json', 'x-tollgate-cache': 'on' };
  const parse = jest.spyOn(JSON, 'parse');
  const stringify = jest.spyOn(JSON, 'stringify');
  const answers = await Promise.all(bodies.map((body) => rig.chat(logging, body, { headers })));
  const longest = Math.max(
    ...parse.mock.calls.map(([text]) => text.length),
    ...stringify.mock.results.map(({ value }) => String(value).length),
  );
  jest.restoreAllMocks();
  expect(longest).toBeLessThan(100_000);
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200]);
  expect(await answers[1]?.json()).toMatchObject({ error: { reason: 'guardrail_blocked', guardrail: 'taboo' } });
  const went = rig.inference.calls.slice(-2).map(({ body }) => Buffer.from(body).toString());
  expect(went.sort()).toEqual([dear('Write to [redacted:email].'), dear('nothing')].sort());
  const ids = answers.filter(({ status }) => status === 200).map((answer) => answer.headers.get('x-request-id'));
  await eventually(() => ids.every((id) => rig.metering.logged.some(({ requestId }) => requestId === id)));
  const metrics = await (await fetch(`http://127.0.0.1:${rig.internalPort}/metrics`)).text();
  expect(metrics).toMatch(/edge_guardrail_findings_total\{[^}]*guardrail="taboo"[^}]*action="block"[^}]*\} 1/);
  expect((await rig.chat(logging, dear('nothing'), { headers })).headers.get('x-tollgate-cache')).toBe('hit');
});

it('a dear turn of a kept response is kept as a guardrail has left it', async () => {
  await use({ id: 'words', action: 'redact', kind: 'regex', patterns: ['secret'], appliesTo: 'input' });
  const input = Array.from({ length: 3_000 }, (_, index) => ({ role: 'user', content: `${index}: a secret` }));
  const begun = await rig.post('/v1/responses', apiKey, { model: question.model, input, store: true });
  const { id } = (await begun.json()) as { id: string };
  const goesOn = { model: question.model, input: 'And?', previous_response_id: id };
  await eventually(async () => (await rig.post('/v1/responses', apiKey, goesOn)).status === 200);
  const { input: whole } = sent() as { input: { content: unknown }[] };
  const kept = whole.map(({ content }) => String(content)).filter((text) => /^\d+: a /.test(text));
  expect(kept).toEqual(input.map(({ content }) => content.replace('secret', '[redacted:words]')));
});

it('a request in which nothing is found goes on byte for byte', async () => {
  await use({ id: 'personal', action: 'redact', kind: 'pii', appliesTo: 'input' });
  const body = JSON.stringify({ ...question, seed: 1 }, null, 3).replace('"seed": 1', '"seed": 9007199254740993');
  expect((await rig.chat(apiKey, body)).status).toBe(200);
  expect(Buffer.from(rig.inference.calls.at(-1)?.body ?? '').toString()).toBe(body);
});

it('holds for its keys and its models, and of several the first that blocks counts', async () => {
  await use(
    { id: 'secret', action: 'block', keys: ['guarded'] },
    { id: 'word', action: 'block', models: ['anthropic/*'] },
    { id: 'later', action: 'redact', appliesTo: 'output' },
  );
  const other = rig.accounts.create({ id: 'free' });
  expect((await ask('a secret')).status).toBe(400);
  expect((await ask('a secret', other)).status).toBe(200);
  expect((await ask('a word')).status).toBe(200);
  expect((await ask('a word', other, { model: 'anthropic/claude-sonnet-5' })).status).toBe(400);
  expect((await ask('later')).status).toBe(200);
});

it('counting tokens is guarded too, and what is flagged goes on', async () => {
  await use({ id: 'secret', action: 'block' }, { id: 'odd', action: 'flag' });
  const body = { model: question.model, messages: [{ role: 'user', content: 'a secret' }] };
  expect((await rig.post('/v1/messages/count_tokens', apiKey, body)).status).toBe(400);
  expect((await ask('an odd thing')).status).toBe(200);
  expect(sent().messages).toEqual([{ role: 'user', content: 'an odd thing' }]);
  const metrics = await (await fetch(`http://127.0.0.1:${rig.internalPort}/metrics`)).text();
  expect(metrics).toMatch(/edge_guardrail_findings_total\{[^}]*guardrail="odd"[^}]*action="flag"[^}]*\} 1/);
  const told = () => rig.metering.found.filter(({ guardrail: id }) => id === 'odd');
  await eventually(() => told().length > 0);
  const whole = { hour: expect.any(Number), toldBy: expect.any(String) };
  // What metering was slow to take is told again.
  expect(told()).toContainEqual({ guardrail: 'odd', side: 'input', action: 'flag', count: 1, ...whole });
});

it('an answer that was cached under other guardrails is not given again', async () => {
  const on = {
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-tollgate-cache': 'on' },
  };
  const cached = async () => {
    const answer = await rig.chat(apiKey, { ...question, seed: 77 }, on);
    await answer.text();
    return answer.headers.get('x-tollgate-cache');
  };
  await use();
  expect([await cached(), await cached()]).toEqual(['miss', 'hit']);
  await use({ id: 'later', action: 'redact', appliesTo: 'output' });
  expect([await cached(), await cached()]).toEqual(['miss', 'hit']);
});
