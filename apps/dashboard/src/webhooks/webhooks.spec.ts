import { alertKind } from '@tollgate/contracts/accounts';
import { emptyWebhook, fromWebhook, newWebhookShape, toNewWebhook, toWebhookChange } from './new-webhook';
import { answerText, chosenKinds, kindsText, nextTryText, standingOf } from './webhook-words';

const now = 1_000_000;
/** A delivery that was written and not sent yet. */
const waiting = { deliveredAt: null, dueAt: now, attempts: 0, status: null, problem: null };
const failed = { ...waiting, attempts: 1, dueAt: now + 60_000, status: 500, problem: 'The receiver answered 500.' };

it.each([
  [waiting, 'Waits to be sent', null, null],
  [{ ...waiting, attempts: 1, dueAt: now + 120_000 }, 'Being sent', null, null],
  [failed, 'Is tried again', 'in 1 minute', 'The receiver answered 500.'],
  [{ ...failed, dueAt: now - 1 }, 'Is tried again', 'now', 'The receiver answered 500.'],
  [{ ...failed, attempts: 12, dueAt: null }, 'Given up', null, 'The receiver answered 500.'],
  [
    { ...waiting, attempts: 2, dueAt: null, deliveredAt: now, status: 204 },
    'Arrived',
    null,
    'The receiver answered 204.',
  ],
  [{ ...waiting, attempts: 1, dueAt: null, deliveredAt: now }, 'Arrived', null, 'Written as a mail.'],
])('a delivery that is %j is told as %s, next try %s, answer %s', (delivery, state, next, answer) => {
  expect(standingOf(delivery).text).toBe(state);
  expect(nextTryText(delivery, now, 'en')).toBe(next);
  expect(answerText(delivery)).toBe(answer);
});

it('says which alerts a webhook is told, and offers all but the test', () => {
  expect(kindsText({ kinds: [] })).toBe('All alerts');
  expect(kindsText({ kinds: ['provider.down', 'provider.back'] })).toBe('A provider is down; A provider is back');
  expect([...chosenKinds, 'webhook.test']).toEqual(alertKind.options);
});

describe('a new webhook', () => {
  const typed = { ...emptyWebhook, name: ' On call ', url: ' https://ops.example.org/hook ' };
  const messagesOf = (values: object) =>
    newWebhookShape.safeParse({ ...typed, ...values }).error?.issues.map(({ message }) => message);

  it('has a name, an address, and an alert at least', () => {
    expect(newWebhookShape.parse(typed)).toEqual({ ...typed, name: 'On call', url: 'https://ops.example.org/hook' });
    expect(messagesOf({ name: '  ' })).toEqual(['Give the webhook a name.']);
    expect(messagesOf({ url: '' })).toEqual(['Say where alerts are sent.']);
    expect(messagesOf({ which: 'some' })).toEqual(['Choose one alert at least.']);
    expect(messagesOf({ which: 'some', kinds: ['provider.down'] })).toBeUndefined();
  });

  it.each([
    [
      { form: 'mail' as const, url: 'ops@example.org' },
      { url: 'mailto:ops@example.org', kinds: [] },
    ],
    [{ form: 'mail' as const, url: 'MAILTO:ops@example.org' }, { url: 'MAILTO:ops@example.org' }],
    [{ form: 'slack' as const, url: 'https://hooks.example/x' }, { url: 'https://hooks.example/x' }],
    [{ which: 'some' as const, kinds: ['provider.down' as const] }, { kinds: ['provider.down'] }],
    [{ which: 'all' as const, kinds: ['provider.down' as const] }, { kinds: [] }],
  ])('with %j is sent as %j', (values, sent) =>
    expect(toNewWebhook({ ...typed, ...values })).toEqual(expect.objectContaining(sent)),
  );
});

it.each([[[]], [['provider.down' as const]]])('a webhook of the alerts %j is shown as it is, and stays so', (kinds) => {
  expect(toWebhookChange(fromWebhook({ name: 'ops', kinds }))).toEqual({ name: 'ops', kinds });
});
