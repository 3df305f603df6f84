import { attributionOf } from './attribution-of';

const tags = (value: string) => attributionOf({ 'x-tollgate-tags': value }, undefined, undefined)?.tags;
const endUser = (told: string) => attributionOf({}, told, undefined);

it('tells nothing of a request that says nothing', () => {
  expect(attributionOf({ 'x-tollgate-tags': ' , ', session_id: '' }, ' ', 'OpenAI/Python 1.99.0')).toBeUndefined();
});

describe('tags', () => {
  it('are names with or without a value, each once', () => {
    expect(tags('team=search, prod,prod, feature=summary of news,')).toEqual([
      'team=search',
      'prod',
      'feature=summary of news',
    ]);
  });

  it.each(['two words', 'a;b', '=x', 'ünï', '(other)', 'a\tb', 'n'.repeat(129)])(
    'are refused where one is %j',
    (tag) => {
      expect(() => tags(`fine,${tag}`)).toThrow(/x-tollgate-tags/);
    },
  );

  it('are 16 at most', () => {
    const many = Array.from({ length: 17 }, (_, n) => `tag-${n}`);
    expect(tags(many.slice(1).join(','))).toHaveLength(16);
    expect(() => tags(many.join(','))).toThrow(/at most 16 tags/);
  });

  it('of the key come first, each once, are never hidden, and count among the 16', () => {
    const read = (value: string | undefined, ofKey: string[], isHidden = (_name: string) => false) =>
      attributionOf(value === undefined ? {} : { 'x-tollgate-tags': value }, undefined, undefined, isHidden, ofKey)
        ?.tags;
    expect(read(undefined, ['team=search'])).toEqual(['team=search']);
    expect(read('prod,team=search', ['team=search'])).toEqual(['team=search', 'prod']);
    expect(read('prod', ['secret'], () => true)).toEqual(['secret', expect.stringMatching(/^[0-9a-f]{64}$/)]);
    const many = Array.from({ length: 15 }, (_, n) => `tag-${n}`).join(',');
    expect(read(many, ['one'])).toHaveLength(16);
    expect(() => read(many, ['one', 'two'])).toThrow(/at most 16 tags, the 2 of the API key among them/);
  });

  it('of LiteLLM count where there are none of ours, as far as they fit', () => {
    const foreign = { 'x-litellm-tags': `prod,two words,${Array.from({ length: 20 }, (_, n) => `t${n}`).join(',')}` };
    const read = attributionOf(foreign, undefined, undefined)?.tags ?? [];
    expect(read).toHaveLength(16);
    expect(read.slice(0, 2)).toEqual(['prod', 't0']);
    expect(attributionOf({ ...foreign, 'x-tollgate-tags': 'ours' }, undefined, undefined)?.tags).toEqual(['ours']);
  });
});

describe('what callers of other gateways say', () => {
  const metadata = (said: unknown) => ({ 'x-portkey-metadata': JSON.stringify(said) });

  it.each([
    [{ 'x-litellm-end-user-id': 'ann' }, { endUser: 'ann' }],
    [{ 'x-litellm-end-user-id': 'ann', 'x-litellm-customer-id': 'bob' }, { endUser: 'bob' }],
    [{ 'x-litellm-end-user-id': ' ' }, undefined],
    [metadata({ _user: 'ann' }), { endUser: 'ann' }],
    [
      metadata({ _user: 'ann', environment: 'prod', _organisation: 'acme', request_id: '42aff12', traceId: 'x', n: 7 }),
      { endUser: 'ann', tags: ['environment=prod', '_organisation=acme', 'n=7'] },
    ],
    [metadata({ session_id: 's-1', team: 'ml' }), { session: 's-1', tags: ['team=ml'] }],
    [metadata({ sessionId: 's-2' }), { session: 's-2' }],
    [metadata({ conversation_id: 'c', threadId: 't', 'message-id': 'm', chat_id: 1, run_id: 'r' }), undefined],
    [metadata({ event_id: 'e', user_id: 'u', userId: 'u', timestamp: 1764180000, createdAt: 'now' }), undefined],
    [metadata({ feature: 'ünï', ok: 'yes', deep: { a: 1 } }), { tags: ['ok=yes'] }],
    [{ 'x-portkey-metadata': '{"_user":' }, undefined],
    [{ 'x-portkey-metadata': '["a"]' }, undefined],
    [{ 'x-portkey-metadata': 'null' }, undefined],
    [{ 'x-title': 'My App', 'http-referer': 'https://app.example.com/page' }, { tags: ['app=My App'] }],
    [{ 'x-openrouter-title': 'New', 'x-title': 'Old' }, { tags: ['app=New'] }],
    [{ 'http-referer': 'https://app.example.com:8443/page?q=secret' }, { tags: ['app=app.example.com:8443'] }],
    [{ 'http-referer': 'nowhere' }, undefined],
    [
      { 'x-litellm-tags': 'prod, two words', ...metadata({ team: 'ml' }), 'x-title': 'App' },
      { tags: ['prod', 'team=ml', 'app=App'] },
    ],
  ])('in %j is %j', (headers, said) => {
    expect(attributionOf(headers, undefined, undefined)).toEqual(said);
  });

  it('goes before the body, as it does there, and after our own tags', () => {
    const headers = { 'x-litellm-end-user-id': 'ann', 'x-title': 'App', 'x-tollgate-tags': 'ours' };
    expect(attributionOf(headers, 'bob', undefined)).toEqual({ endUser: 'ann', tags: ['ours'] });
  });

  it('is told by its digest where a guardrail would change it', () => {
    const read = attributionOf(metadata({ _user: 'ann@example.com', team: 'ml' }), undefined, undefined, () => true);
    expect([read?.endUser, ...(read?.tags ?? [])]).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });
});

describe('the end user', () => {
  it.each(['ann', 'Änne Müller', 'ann@example.com', '7', 'u'.repeat(128)])('is %j as it is', (told) => {
    expect(endUser(told)).toEqual({ endUser: told });
  });

  it.each([
    'u'.repeat(129),
    'u'.repeat(1_000_000),
    'a\0',
    'a\nb',
    '(none)',
    '(other)',
    '\ud800',
    'a\u202eb',
    '\u200fa',
    'a\u2028b',
    'a\u2029b',
  ])('is a digest, the same each time, where it is no readable name (%#)', (told) => {
    const read = endUser(told);
    expect(read?.endUser).toMatch(/^[0-9a-f]{64}$/);
    expect(endUser(told)).toEqual(read);
  });

  const session = '8f0e8d5e-6c1f-4a55-9d0f-0d2c7e1f5a11';
  it.each([
    [`user_${'a'.repeat(64)}_account__session_${session}`, `user_${'a'.repeat(64)}_account_`],
    [JSON.stringify({ device_id: 'd1', account_uuid: 'acc', session_id: session }), 'acc'],
    [JSON.stringify({ device_id: 'd1', account_uuid: '', session_id: session }), 'd1'],
  ])('of Claude Code is told without the session in %j', (told, person) => {
    expect(endUser(told)).toEqual({ endUser: person, session });
  });

  it('that only looks like Claude Code’s is taken as it is', () => {
    expect(endUser('{"name":"ann"}')).toEqual({ endUser: '{"name":"ann"}' });
    expect(endUser('{ann')).toEqual({ endUser: '{ann' });
  });
});

describe('the session', () => {
  it.each(['x-claude-code-session-id', 'x-session-affinity', 'x-session-id', 'session_id', 'session-id'])(
    'is read from %s',
    (name) => {
      expect(attributionOf({ [name]: 's-1' }, undefined, undefined)).toEqual({ session: 's-1' });
    },
  );

  it('of a header goes before the one in the name of the end user', () => {
    const told = JSON.stringify({ device_id: 'd1', session_id: 'inner' });
    expect(attributionOf({ 'x-claude-code-session-id': 'outer' }, told, undefined)?.session).toBe('outer');
  });
});

it.each([
  ['claude-cli/2.1.88 (external, cli)', 'claude-code'],
  ['codex_cli_rs/0.149.0 (Ubuntu 24.4.0; x86_64) xterm', 'codex'],
  ['codex_exec', 'codex'],
  ['Codex Desktop', 'codex'],
  ['opencode/1.0.2', 'opencode'],
  ['QwenCode/0.24.7 (linux; x64)', 'qwen-code'],
  ['Charm-Crush/v0.97.1 (https://charm.land/crush)', 'crush'],
  ['Cline/3.0.65', 'cline'],
  ['RooCode/3.51.1', 'roo-code'],
  ['Kilo-Code/7.8.3 ai-sdk/provider-utils/3.0.0', 'kilo-code'],
])('knows the agent %s', (program, agent) => {
  expect(attributionOf({}, undefined, program)).toEqual({ agent });
});
