import { createApiKey } from '@tollgate/contracts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, keepOutOfLogs } from './logger';
import type { Logger } from './logger';
import { environmentSecrets } from './redaction';

const callerKey = createApiKey('tg');
const canary = 'canary-7f3a9c2e51';

/** A logger whose lines are kept, with `environment` added to the process's own while it is made. */
function recordingLogger(environment: Record<string, string> = {}): { logger: Logger; output: () => string } {
  const before = { ...process.env };
  Object.assign(process.env, environment);
  const lines: string[] = [];
  try {
    const logger = createLogger('spec', 'trace', { write: (line) => void lines.push(line) });
    return { logger, output: () => lines.join('') };
  } finally {
    process.env = before;
  }
}

/** Logs once and gives the line, which must still be JSON. */
function logged(...args: [object, string?]): string {
  const { logger, output } = recordingLogger();
  logger.error(...args);
  expect(() => void JSON.parse(output())).not.toThrow();
  return output();
}

describe('a log line never holds', () => {
  it.each([
    ['authorization', { authorization: canary }],
    ['Authorization in capitals', { headers: { Authorization: canary } }],
    ['x-api-key', { request: { headers: { 'x-api-key': canary } } }],
    ['x-goog-api-key', { headers: { 'x-goog-api-key': canary } }],
    ['x-bf-vk', { headers: { 'x-bf-vk': canary } }],
    ['x-portkey-api-key', { headers: { 'x-portkey-api-key': canary } }],
    ['api-key', { headers: { 'api-key': canary } }],
    ['a cookie', { headers: { cookie: `session=${canary}` } }],
    ['several set-cookie', { headers: { 'set-cookie': [`a=${canary}; Path=/`, `b="]${canary}"`] } }],
    ['a password', { user: { password: canary } }],
    ['a password with quotes and backslashes', { password: `"\\"${canary}\\` }],
    ['a pepper', { settings: { pepper: canary } }],
    ['an apiKey deep down', { a: { b: { c: { d: [{ apiKey: canary }] } } } }],
    ['a password in a sentence', { detail: `login failed: password=${canary}, user=x` }],
    ['a secret in JSON inside a sentence', { detail: `said {"status":1,"apiKey": "${canary}"}` }],
    ['a secret in JSON text', { detail: JSON.stringify({ error: { 'x-api-key': canary, other: 1 } }) }],
    ['a secret in JSON text in JSON text', { detail: JSON.stringify({ body: JSON.stringify({ apiKey: canary }) }) }],
  ])('%s', (_what, fields) => {
    expect(logged(fields, 'failed')).not.toContain('canary');
  });

  it.each([
    ['a key of ours', callerKey],
    ['a bearer token', `Bearer ${canary}`],
    ['an OpenAI key', 'sk-proj-canary0123456789abcdef'],
    ['an Anthropic key', 'sk-ant-api03-canary0123456789abcdef'],
    ['a Google key', `AIza${canary.replaceAll('-', '_')}${'x'.repeat(20)}`],
    ['a password in a URL', `postgres://tollgate:${canary}@db:5432/tollgate`],
    ['a key in a query', `https://models.example/v1?alt=sse&key=${canary}`],
  ])('%s: as a message, a value, a name, or an error with its stack and cause', (_what, secret) => {
    const { logger, output } = recordingLogger();
    logger.info(`connecting with ${secret} now`);
    logger.info({ rawHeaders: ['authorization', secret] });
    logger.info({ [secret]: true });
    logger.child({ peer: secret }).warn('child');
    logger.error(new Error(`refused: "${secret}"`, { cause: new Error(secret) }));
    logger.error({ err: Object.assign(new Error('x'), { request: { url: secret } }) });
    expect(output()).not.toContain('canary');
    expect(output()).not.toContain(secret);
    for (const line of output().trim().split('\n')) expect(() => void JSON.parse(line)).not.toThrow();
  });

  it('a value of a secret environment variable, whatever its shape and place', () => {
    const { logger, output } = recordingLogger({
      MISTRAL_API_KEY: `${canary}"quoted\\`,
      TOLLGATE_KEY_PEPPER: `p-${canary}`,
    });
    logger.warn({ upstream: { said: `bad credential ${canary}"quoted\\!` } }, `pepper p-${canary}`);
    expect(output()).not.toContain('canary');
    expect(() => void JSON.parse(output())).not.toThrow();
  });
});

describe('a log line keeps', () => {
  it('what is no secret, unchanged', () => {
    const fields = {
      keyId: '0199',
      display: 'tg_sk_…a1b2',
      key: 'model',
      tokens: 12,
      url: 'http://127.0.0.1:8080/v1?period=day',
    };
    expect(JSON.parse(logged(fields, 'the bearer of good news'))).toMatchObject({
      ...fields,
      msg: 'the bearer of good news',
      service: 'spec',
    });
  });

  it('the fields beside a secret', () => {
    const line: unknown = JSON.parse(logged({ authorization: 'x', status: 401, cookie: ['a', 'b'], path: '/v1' }));
    expect(line).toMatchObject({ authorization: '[redacted]', status: 401, cookie: '[redacted]', path: '/v1' });
  });

  it('stays fast on hostile lines', () => {
    const hostile = `${'\\"'.repeat(50_000)}${'"authorization":"'.repeat(2_000)}${'a:/'.repeat(20_000)}${'Bearer '.repeat(5_000)}`;
    const begin = performance.now();
    logged({ hostile });
    expect(performance.now() - begin).toBeLessThan(20_000);
  });
});

describe('the secrets of the environment', () => {
  it('are found by name, and through files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'redaction-'));
    try {
      writeFileSync(join(folder, 'pepper'), `${canary}-file\n`);
      const found = environmentSecrets({
        NATS_URL: 'nats://edge:canary%2Fpassword@one:4222,two:4222',
        TOLLGATE_KEY_PEPPER_PREVIOUS: 'canary-former-pepper',
        TOLLGATE_KEY_ENCRYPTION_KEY_PREVIOUS: 'canary-former-key',
        OPENAI_API_KEY: `${canary}-key`,
        MISTRAL_API_KEY: `${canary}-one, ${canary}-two,short`,
        TOLLGATE_KEY_PEPPER_FILE: join(folder, 'pepper'),
        OTHER_SECRET_FILE: join(folder, 'missing'),
        SHORT_TOKEN: 'on',
        HOST: 'not-a-secret',
      });
      expect(found).toEqual([
        'canary%2Fpassword',
        'canary/password',
        'canary-former-pepper',
        'canary-former-key',
        `${canary}-key`,
        `${canary}-one, ${canary}-two,short`,
        `${canary}-one`,
        `${canary}-two`,
        `${canary}-file`,
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('takes out secrets that became known after it was made, the longest first, and no ordinary words', () => {
  const { logger, output } = recordingLogger();
  keepOutOfLogs(['later-canary-1', 'later-canary-1-and-more', 'words']);
  logger.error({ err: new Error('refused later-canary-1-and-more') }, 'with later-canary-1 and words');
  expect(output()).not.toMatch(/later-canary|and-more/);
  expect(output()).toContain('with [redacted] and words');
});
