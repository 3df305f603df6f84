import { newBudget } from '@tollgate/contracts/metering';
import { z } from 'zod/mini';
import { ApiError } from '../api/api-error';
import { atLimitOf, exceedingFrom, lacksModel } from './at-limit-fields';
import { checkLimit, limitFrom, nameAndLimit, refusedField, typedLimit, withRefusalsAtFields } from './budget-form';
import { eachWords, ownerOf } from './budget-scopes';
import { emptyBudget, fieldsOfRefusals, newBudgetShape, toNewBudget } from './new-budget';
import { shownWords } from './shown-words';
import { keyWords } from './use-keys-of-account';
import { resetWords, windowWords } from './window-words';

const hour = 3_600_000;

describe('the window of a budget', () => {
  it.each([
    ['month', 'UTC', 'Each month'],
    ['day', 'Europe/Berlin', 'Each day (Europe/Berlin)'],
    ['total', 'Europe/Berlin', 'Once, in all'],
    ['24h', 'UTC', 'The last 24 hours'],
    ['1d', 'UTC', 'The last day'],
    ['fortnight', 'UTC', 'fortnight'],
  ])('%s in %s is in words %s', (window, timeZone, words) => expect(windowWords({ window, timeZone })).toBe(words));

  it.each([
    ['month', 3 * hour, 'Begins anew in 3 hours'],
    ['24h', 3 * hour, 'The first of it leaves in 3 hours'],
    ['24h', null, 'Nothing is spent yet'],
    ['total', null, 'Never begins anew'],
  ])('%s that resets at %s: %s', (window, resetsAt, words) => expect(resetWords(window, { resetsAt }, 0)).toBe(words));
});

it('says whose it is', () => {
  expect(ownerOf({ keyIds: [], project: null })).toBe('account');
  expect(ownerOf({ keyIds: ['key-1'], project: null })).toBe('key');
  expect(ownerOf({ keyIds: ['key-1'], project: 'search' })).toBe('project');
  expect(eachWords({ by: 'end_user', names: '*' })).toBe('each end user');
  expect(eachWords({ by: 'tag', names: 'team=*' })).toBe('each tag team=*');
});

it('says which budgets are looked at, where it is not all of them', () => {
  const words = { near: null, count: 100, isMore: false };
  expect(shownWords(words)).toBeNull();
  expect(shownWords({ ...words, isMore: true })).toContain('newest 100');
  expect(shownWords({ ...words, near: 'everybody', count: 50, isMore: true })).toMatch(/refused.*first 50/);
  expect(shownWords({ ...words, near: 'everybody' })).not.toContain('first');
  expect(shownWords({ ...words, near: 'account' })).not.toContain('refused');
});

describe('the keys that are offered', () => {
  it.each([
    ['', undefined, false, 'Say whose it is first'],
    ['a@b.c', undefined, false, 'Loading …'],
    ['a@b.c', undefined, true, 'Its keys could not be read'],
    ['a@b.c', null, false, 'There is no such account'],
    ['a@b.c', { keys: [], isMore: false }, false, 'None of its keys works'],
    ['a@b.c', { keys: [], isMore: true }, false, 'None of its newest keys works'],
    ['a@b.c', { keys: [{ id: 'key-1' }], isMore: false }, false, 'Choose one'],
  ])('of %j that are %j are in words, %s, %s', (account, found, isError, words) =>
    expect(keyWords(account, found, isError)).toBe(words),
  );
});

describe('a limit that is typed', () => {
  const shape = z.object(nameAndLimit).check(checkLimit);
  const read = (limit: string, unit = 'usd') => {
    const { data } = z.safeParse(shape, { name: 'a', unit, limit });
    const taken = data && limitFrom(data);
    return taken && ('limitUsd' in taken ? taken.limitUsd : taken.limitTokens);
  };

  it.each([
    [' 25 ', '25'],
    ['$ 0.50', '0.50'],
    ['999999999.999999999', '999999999.999999999'],
    ['0.000000001', '0.000000001'],
  ])('%s are kept to the last digit', (typed, kept) => expect(read(typed)).toBe(kept));

  it.each(['', '1,000', '1.2345678901', '-1', '1e3', '1000000000'])('%j are refused before they are sent', (typed) =>
    expect(read(typed)).toBeUndefined(),
  );

  it('in tokens is a whole number of them', () => {
    expect(['1000000', '0', '9007199254740991'].map((typed) => read(typed, 'tokens'))).toEqual([
      ...[1_000_000, 0, Number.MAX_SAFE_INTEGER],
    ]);
    for (const typed of ['', '$5', '1.5', '1,000', '-1', '9007199254740992'])
      expect(read(typed, 'tokens')).toBeUndefined();
  });

  it('comes back as it went', () => {
    expect(typedLimit('usd', '999999999999999999')).toBe('999999999.999999999');
    expect(typedLimit('tokens', '1500')).toBe('1500');
    expect(limitFrom({ unit: 'tokens', limit: '1500' })).toEqual({ limitTokens: 1_500 });
  });
});

describe('a refusal', () => {
  it.each([
    ['total', 'window'],
    ['month', 'window'],
    ['rolling', 'length'],
  ] as const)('of the window is told at a field that is shown: %s at %s', (window, field) =>
    expect(fieldsOfRefusals({ window })).toMatchObject({ window: field }),
  );

  it.each([
    [
      'timeZone: "x" is none, such as "Europe/Paris" is one.',
      'timeZone',
      '"x" is none, such as "Europe/Paris" is one.',
    ],
    ['each.names: must not be empty', 'each.names', 'Must not be empty'],
  ])('%s is told at its field', (refusal, name, message) => expect(refusedField(refusal)).toEqual({ name, message }));

  it('that names no field, or one that the form has not, is thrown', async () => {
    expect(refusedField('There is no account: none.')).toBeNull();
    const setError = jest.fn();
    const refusing = (message: string) =>
      withRefusalsAtFields<{ name: string }>({ setError }, ['name'], { title: 'name' }, () =>
        Promise.reject(new ApiError(400, message, null, null, null)),
      );
    await refusing('title: must be shorter');
    expect(setError).toHaveBeenCalledWith('name', { message: 'Must be shorter' }, { shouldFocus: true });
    await expect(refusing('other: is wrong')).rejects.toThrow('other: is wrong');
    await expect(refusing('No.')).rejects.toThrow('No.');
  });
});

describe('what is filled in', () => {
  const filled = { ...emptyBudget, account: 'team@example.org', name: 'team', limit: '25' };

  it.each([
    [{}, { window: 'month', each: null, soft: false, fallbackModel: null }],
    [
      { owner: 'key', keyId: 'key-1', models: 'a/*, b/c' },
      { keyId: 'key-1', models: ['a/*', 'b/c'] },
    ],
    [{ unit: 'tokens', limit: '1500' }, { limitTokens: 1_500 }],
    [{ owner: 'project', keyId: 'key-1', project: 'search' }, { project: 'search' }],
    [{ share: 'tag', names: 'team=*' }, { each: { by: 'tag', names: 'team=*' } }],
    // One that rolls goes by no calendar, and one of all by none.
    [
      { window: 'rolling', length: '7d', timeZone: 'Europe/Berlin' },
      { window: '7d', timeZone: 'UTC' },
    ],
    [
      { window: 'day', timeZone: 'Europe/Berlin' },
      { window: 'day', timeZone: 'Europe/Berlin' },
    ],
    [
      { atLimit: 'fall', fallbackModel: ' a/small ' },
      { soft: true, fallbackModel: 'a/small' },
    ],
    [
      { atLimit: 'warn', fallbackModel: 'a/small' },
      { soft: true, fallbackModel: null },
    ],
  ])('%j is what the gateway takes', (changes, wanted) => {
    const made = toNewBudget(z.parse(newBudgetShape, { ...filled, ...changes }));
    expect(made).toMatchObject(wanted);
    expect(newBudget.safeParse(made).error).toBeUndefined();
  });

  it('is of no key where the whole account is chosen', () =>
    expect(toNewBudget({ ...filled, keyId: 'key-1' })).not.toHaveProperty('keyId'));

  it('is the same of a budget that exists', () => {
    for (const one of [
      { soft: false, fallbackModel: null },
      { soft: true, fallbackModel: null },
      { soft: true, fallbackModel: 'a/small' },
    ])
      expect(exceedingFrom(atLimitOf(one))).toEqual(one);
    expect(lacksModel({ atLimit: 'fall', fallbackModel: ' ' })).toBe(true);
  });
});
