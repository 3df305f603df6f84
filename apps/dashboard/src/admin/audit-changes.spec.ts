import { auditChanges, inWords } from './audit-changes';

const lines = (detail: Record<string, unknown>) =>
  auditChanges(detail).map(
    ({ name, before, after }) => `${name}: ${before === undefined ? '' : `${before} → `}${after}`,
  );

it.each<[string, Record<string, unknown>, string[]]>([
  [
    'what was changed, and nothing that was not',
    { plan: 'pro', planBefore: 'pro', rpm: 1200, rpmBefore: null, models: [], modelsBefore: ['openai/*'] },
    ['Requests per minute: as the plan says → 1,200', 'Allowed models: openai/* → all'],
  ],
  [
    'the words for what is unlimited, unset or switched',
    {
      quotaTokens: 'unlimited',
      quotaTokensBefore: 5,
      expiresAt: null,
      expiresAtBefore: 0,
      logContent: true,
      logContentBefore: false,
      tellCost: false,
      tellCostBefore: true,
    },
    [
      'Tokens per month: 5 → unlimited',
      'Expires: 1970-01-01T00:00:00.000Z → never',
      'Requests and answers: not kept → logged',
      'Tells each request its charge: yes → no',
    ],
  ],
  ['what is only told', { newKeyId: 'k2', overlapS: 60 }, ['New key: k2', 'Both work for, seconds: 60']],
  ['lists', { role: 'user', roleBefore: ['user', 'administrator'] }, ['Role: user, administrator → user']],
  ['what has no name here', { someThing: { a: 1 } }, ['Some thing: {"a":1}']],
  ['what looks like a past without a present', { heldBefore: 'eu' }, ['Held before: eu']],
  ['nothing', {}, []],
])('a line of the audit log tells %s', (_what, detail, expected) => expect(lines(detail)).toEqual(expected));

it('writes an action in words', () => expect(inWords('key-revoked')).toBe('Key revoked'));
