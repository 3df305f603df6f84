import { ControlError, reportOperations } from '@tollgate/contracts';
import type { ControlClient } from '@tollgate/messaging';
import type { StoredOwnKey } from './own-key-rows';
import { refusalOf } from './own-key-refusals';

const hourMs = 3_600_000;
const now = 500_000 * hourMs + 1_000;
const setAt = now - 10 * hourMs;

const keyOf = (more: Partial<StoredOwnKey> = {}): StoredOwnKey => ({
  ...{ provider: 'acme', lastFour: null, setBy: 'ada', fallsBack: false, baseUrl: 'https://acme.example', sealed: '' },
  ...{ setAt: new Date(setAt), ...more },
});

/** A metering where the newest request ended so; null: none did. */
function meteringWith(attempts: object[] | null) {
  const asked: [string, object][] = [];
  const call = (({ subject }: { subject: string }, request: object) => {
    asked.push([subject, request]);
    if (subject === reportOperations.listRequests.subject)
      return Promise.resolve({ requests: attempts === null ? [] : [{ endedAt: now - 60_000, attempts }] });
    const points = [3, 0].map((ago) => ({ at: now - 1_000 - ago * hourMs, requests: ago === 0 ? 0 : 1 }));
    return Promise.resolve({ lines: attempts === null ? [] : [{ points }] });
  }) as unknown as ControlClient['call'];
  return { call, asked };
}

const refused = { ownKey: true, error: 'own_key_refused', status: 401, reason: 'acme refused the key: no such key' };
const told = (attempts: object[] | null, key = keyOf()) =>
  refusalOf(meteringWith(attempts), { accountId: 'a', key, apiKeys: ['k1', 'k2'] }, now);

it('tells what its provider said where it refused the newest request that went with it', async () => {
  const text = await told([refused]);
  expect(text).toContain(
    `refused the key at ${new Date(now - 60_000).toISOString()} (acme refused the key: no such key)`,
  );
  expect(text).toContain('requests for its models are refused until');
  expect(await told([refused], keyOf({ fallsBack: true }))).toContain('go on with the gateway’s key');
  expect(await told([{ ...refused, reason: undefined }])).toContain('(it answered 401)');
});

it.each([
  ['was answered', [{ ownKey: true, error: null, status: 200 }]],
  ['failed for something else', [{ ownKey: true, error: 'own_key_limited', status: 429 }]],
  ['never was', null],
])('tells nothing where the newest request %s', async (_, attempts) => expect(await told(attempts)).toBeNull());

it('looks in the newest hour that had requests alone, and at none from before the key was given', async () => {
  const metering = meteringWith([refused]);
  await refusalOf(metering, { accountId: 'a', key: keyOf(), apiKeys: ['k1'] }, now);
  const whose = { accountId: 'a', keyIds: ['k1'], provider: 'acme (own key)' };
  expect(metering.asked).toEqual([
    [reportOperations.series.subject, { ...whose, startAt: setAt, endAt: now + 1, step: 'hour' }],
    [
      reportOperations.listRequests.subject,
      { ...whose, startAt: now - 1_000 - 3 * hourMs, endAt: now - 1_000 - 2 * hourMs, limit: 1 },
    ],
  ]);
});

it('tells nothing while metering does not answer, or where no API key goes with it', async () => {
  const away = { call: () => Promise.reject(new ControlError('unavailable', 'away')) };
  expect(await refusalOf(away, { accountId: 'a', key: keyOf(), apiKeys: ['k1'] }, now)).toBeNull();
  const metering = meteringWith([refused]);
  expect(await refusalOf(metering, { accountId: 'a', key: keyOf(), apiKeys: [] }, now)).toBeNull();
  expect(metering.asked).toEqual([]);
});
