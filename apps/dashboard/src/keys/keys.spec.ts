import { formatBytes } from '../format/number';
import { expiresAtOf } from './expiry';
import { keyChoices, isUsable, keyStateOf } from './key-state';
import { loggingText } from './logging-text';
import { modelsFrom } from './models-from';
import { snippetsFor } from './snippets-for';

const key = { keyStatus: 'active', accountStatus: 'active', expiresAt: null } as const;

describe('the state of a key', () => {
  it.each([
    [{}, 'Active', true],
    [{ accountStatus: 'pending' as const }, 'Waits for approval', true],
    [{ accountStatus: 'suspended' as const }, 'Refused', true],
    [{ expiresAt: 999 }, 'Expired', false],
    [{ expiresAt: 1_001 }, 'Active', true],
    [{ keyStatus: 'revoked' as const, accountStatus: 'pending' as const }, 'Revoked', false],
  ])('%j', (changes, text, usable) => {
    expect(keyStateOf({ ...key, ...changes }, 1_000).text).toBe(text);
    expect(isUsable({ ...key, ...changes }, 1_000)).toBe(usable);
  });
});

it('reads model patterns however they are separated', () =>
  expect(modelsFrom(' openai/*,anthropic/claude-sonnet-5\n openai/* ')).toEqual([
    'openai/*',
    'anthropic/claude-sonnet-5',
  ]));

it('counts an expiry from now', () => {
  expect(expiresAtOf('never', 5)).toBeNull();
  expect(expiresAtOf('week', 5)).toBe(5 + 7 * 86_400_000);
});

describe('snippets', () => {
  const ready = { origin: 'https://gate.example', model: 'openai/gpt-5.4-mini' };

  it('hold the key itself when it was just made', () => {
    for (const { code } of snippetsFor({ ...ready, apiKey: 'tg_sk_1' })) {
      expect(code).toContain('tg_sk_1');
      expect(code).toContain('https://gate.example');
      expect(code).toContain('openai/gpt-5.4-mini');
    }
  });

  it('name the environment variable otherwise', () => {
    const [curl, python, sdk, go] = snippetsFor({ ...ready, apiKey: '$TOLLGATE_KEY' });
    expect(curl?.code).toContain('Bearer $TOLLGATE_KEY');
    expect(python?.code).toContain('os.environ["TOLLGATE_KEY"]');
    expect(sdk?.code).toContain('process.env.TOLLGATE_KEY');
    expect(go?.code).toContain('"Bearer "+os.Getenv("TOLLGATE_KEY")');
  });
});

describe('what is said of logging', () => {
  it('is that nothing is kept, where the operator does not allow it', () =>
    expect(loggingText(null)).toContain('nothing is logged'));

  it('is how long, how much and without what', () => {
    const text = loggingText({ retentionDays: 30, maxBodyBytes: 65_536, detectors: ['email', 'later'] });
    for (const part of [
      '30 days',
      formatBytes(65_536),
      'e-mail addresses, later, keys and tokens',
      'x-tollgate-log: off',
    ])
      expect(text).toContain(part);
    expect(loggingText({ retentionDays: 1, maxBodyBytes: 1_024, detectors: [] })).toContain('one day');
  });
});

it.each([
  [1, '1 byte'],
  [16, '16 bytes'],
  [65_536, '65.5 kB'],
])('sizes are told in words that fit: %d', (bytes, told) => expect(formatBytes(bytes)).toBe(told));

it('are told apart where they share a name, as after a rotation', () => {
  const named = (id: string, name: string) => ({ id, name, display: `tg_sk_…${id}` });
  expect(keyChoices([named('a', 'CI'), named('b', 'Notes'), named('c', 'CI')])).toEqual([
    { id: 'a', name: 'CI (tg_sk_…a)' },
    { id: 'b', name: 'Notes' },
    { id: 'c', name: 'CI (tg_sk_…c)' },
  ]);
});
