import { ControlError, GatewayError, guardrailError, rateLimitError } from '@tollgate/contracts';
import type { RefusedInMinute } from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import type { NatsGenerationClient } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { PeriodicWork } from '@tollgate/service';
import { Registry } from 'prom-client';
import type { Caller } from '../callers/authenticator';
import { EdgeMetrics } from '../edge-metrics';
import { RequestContext } from '../http/request-context';
import { FakeClock } from '../testing/fake-clock';
import { Refusals } from './refusals';

const minuteMs = 60_000;
const path = '/v1/chat/completions';
const unknownModel = new GatewayError(404, 'There is no such model.');

function setUp() {
  const clock = new FakeClock();
  const sent: RefusedInMinute[][] = [];
  let isAway = false;
  const control = {
    call: async (_operation: unknown, { minutes }: { minutes: RefusedInMinute[] }) => {
      if (isAway) throw new ControlError('unavailable', 'away');
      sent.push(minutes);
    },
  } as unknown as ControlClient;
  const registry = new Registry();
  const work = new PeriodicWork({} as Logger);
  const client = { edgeId: 'edge-1' } as NatsGenerationClient;
  const refusals = new Refusals(control, client, clock, new EdgeMetrics(registry), work);
  const context = (keyId: string | null, model: string | null = null) => {
    const context = new RequestContext('request-1', clock);
    if (keyId !== null) context.caller = { key: { id: keyId, accountId: 'account-1' }, digest: 'd' } as Caller;
    context.model = model;
    return context;
  };
  const dropped = async () => (await registry.getSingleMetric('edge_refusals_dropped_total')?.get())?.values[0]?.value;
  return { clock, sent, refusals, context, dropped, away: (is: boolean) => (isAway = is) };
}

it('counts by minute, key, status and reason, with the last request of each', async () => {
  const { clock, sent, refusals, context } = setUp();
  refusals.note(unknownModel, path, context('key-1', 'gpt-0'));
  clock.advance(1);
  refusals.note(unknownModel, path, context('key-1', 'gpt-\ud800\0'));
  refusals.note(new GatewayError(401, 'No key.'), path, context(null));
  refusals.note(rateLimitError(3, { limit: 'rpm' }), path, context('key-1'));
  refusals.note(guardrailError('request', 'pii'), path, context('key-1'));
  refusals.note(new GatewayError(400, 'Long.').because('context_length_exceeded'), path, context('key-1'));
  await refusals.tell();
  const minute = clock.nowMs() - (clock.nowMs() % minuteMs);
  const common = { edgeId: 'edge-1', minute, keyId: 'key-1', accountId: 'account-1', count: 1 };
  const last = { at: clock.nowMs(), requestId: 'request-1', path, model: null };
  expect(sent).toEqual([
    [
      {
        ...common,
        status: 404,
        reason: 'not_found_error',
        count: 2,
        last: { ...last, model: 'gpt-\ufffd\ufffd', message: 'There is no such model.' },
      },
      expect.objectContaining({ keyId: null, accountId: null, status: 401, reason: 'authentication_error' }),
      expect.objectContaining({ ...common, status: 429, reason: 'rpm' }),
      expect.objectContaining({ ...common, status: 400, reason: 'guardrail pii' }),
      expect.objectContaining({ ...common, status: 400, reason: 'context_length_exceeded' }),
    ],
  ]);
});

it('tells what is new only, as a count of the whole minute', async () => {
  const { sent, refusals, context } = setUp();
  refusals.note(unknownModel, path, context('key-1'));
  await refusals.tell();
  await refusals.tell();
  refusals.note(unknownModel, path, context('key-1'));
  await refusals.tell();
  expect(sent.map((minutes) => minutes.map(({ count }) => count))).toEqual([[1], [2]]);
});

it('tells again what metering did not take, and drops it after a quarter of an hour', async () => {
  const { clock, sent, refusals, context, dropped, away } = setUp();
  away(true);
  refusals.note(unknownModel, path, context('key-1'));
  await refusals.tell();
  clock.advance(10 * minuteMs);
  away(false);
  await refusals.tell();
  expect(sent).toEqual([[expect.objectContaining({ count: 1 })]]);
  away(true);
  refusals.note(unknownModel, path, context('key-1'));
  refusals.note(unknownModel, path, context('key-1'));
  clock.advance(16 * minuteMs);
  await refusals.tell();
  away(false);
  await refusals.tell();
  expect(sent).toHaveLength(1);
  expect(await dropped()).toBe(2);
});

it('holds no more causes than its bound: further ones count together', async () => {
  const { sent, refusals, context } = setUp();
  for (let key = 0; key < 6_000; key += 1) refusals.note(unknownModel, path, context(`key-${key}`));
  refusals.note(unknownModel, path, context('key-0'));
  await refusals.tell();
  const rows = sent.flat();
  expect(rows).toHaveLength(5_001);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(6_001);
  expect(rows.find(({ reason }) => reason === 'other')).toMatchObject({ count: 1_000, keyId: null, accountId: null });
});
