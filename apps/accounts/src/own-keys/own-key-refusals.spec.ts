import { ControlError } from '@tollgate/contracts';
import { reportOperations } from '@tollgate/contracts/metering';
import type { ControlClient } from '@tollgate/messaging';
import type { StoredOwnKey } from './own-key-rows';
import { refusalsOf, type UsedOwnKey } from './own-key-refusals';

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
  let patience = 0;
  const call = (({ subject }: { subject: string }, request: object, { timeoutMs }: { timeoutMs: number }) => {
    asked.push([subject, request]);
    patience = Math.max(patience, timeoutMs);
    if (subject === reportOperations.listRequests.subject)
      return Promise.resolve({
        requests: attempts === null ? [] : [{ endedAt: now - 60_000, model: 'acme/tiny', attempts }],
      });
    const points = [3, 0].map((ago) => ({ at: now - 1_000 - ago * hourMs, requests: ago === 0 ? 0 : 1 }));
    return Promise.resolve({ lines: attempts === null ? [] : [{ points }] });
  }) as unknown as ControlClient['call'];
  return {
    ...{ call, asked },
    /** The longest that somebody would have waited. */
    get patience() {
      return patience;
    },
  };
}

const refused = { ownKey: true, error: 'own_key_refused', status: 401, reason: 'acme refused the key: no such key' };
const refusalOf = async (control: Pick<ControlClient, 'call'>, used: UsedOwnKey) =>
  (await refusalsOf(control, [used], now)).get(used.key) ?? null;
const told = (attempts: object[] | null, key = keyOf()) =>
  refusalOf(meteringWith(attempts), { accountId: 'a', key, apiKeys: ['k1', 'k2'] });

it('tells what its provider said where it refused the newest request that went with it', async () => {
  const text = await told([refused]);
  expect(text).toContain(
    `refused the key at ${new Date(now - 60_000).toISOString()} (acme refused the key: no such key)`,
  );
  expect(text).toContain('requests for its models are refused until');
  expect(await told([refused], keyOf({ fallsBack: true }))).toContain('go on with the gateway’s key');
  expect(await told([{ ...refused, reason: undefined }])).toContain('(it answered 401)');
});

it('does not say of one model that is refused that all are', async () => {
  const one = await told([{ ...refused, status: 403 }]);
  expect(one).toContain('refused the key for acme/tiny at ');
  expect(one).toContain('requests for it are refused until');
});

it('asks of no other key where metering does not answer, and of few at the same time', async () => {
  const used = Array.from({ length: 500 }, () => ({ accountId: 'a', key: keyOf(), apiKeys: ['k1'] }));
  let [asked, running, most] = [0, 0, 0];
  const call = async () => {
    asked++;
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    throw new ControlError('unavailable', 'it did not answer');
  };
  expect([...(await refusalsOf({ call }, used, now))]).toEqual([]);
  expect([asked, most]).toEqual([8, 8]);
  const metering = meteringWith([refused]);
  expect((await refusalsOf(metering, used, now)).size).toBe(500);
  expect(metering.patience).toBeLessThanOrEqual(1_000);
});

it.each([
  ['was answered', [{ ownKey: true, error: null, status: 200 }]],
  ['failed for something else', [{ ownKey: true, error: 'own_key_limited', status: 429 }]],
  ['never was', null],
])('tells nothing where the newest request %s', async (_, attempts) => expect(await told(attempts)).toBeNull());

it('looks in the newest hour that had requests alone, and at none from before the key was given', async () => {
  const metering = meteringWith([refused]);
  await refusalOf(metering, { accountId: 'a', key: keyOf(), apiKeys: ['k1'] });
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
  expect(await refusalOf(away, { accountId: 'a', key: keyOf(), apiKeys: ['k1'] })).toBeNull();
  const metering = meteringWith([refused]);
  expect(await refusalOf(metering, { accountId: 'a', key: keyOf(), apiKeys: [] })).toBeNull();
  expect(metering.asked).toEqual([]);
});
