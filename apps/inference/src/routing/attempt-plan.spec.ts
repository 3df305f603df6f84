import type { UpstreamError } from '@tollgate/dialects';
import { AttemptPlan, type AttemptFailure, type GrantRetry } from './attempt-plan';
import { RouteTable, type Route } from './route-table';
import { aModel, aProvider, aSnapshot, someCredentials } from '../testing/fixtures';

const deployments = ['first', 'second'].map((id) => ({ id, provider: 'acme', upstreamModel: id }));
const snapshot = aSnapshot([aProvider()], [aModel({ deployments })]);
const credentials = someCredentials([aProvider()], { acme: 'key' });
const routes = new RouteTable(snapshot, credentials, null).routes('acme/one', 'openai-chat', 'key-1');

function failure(overrides: Partial<UpstreamError> = {}, facts: Partial<AttemptFailure> = {}): AttemptFailure {
  const message = 'Acme answered 500';
  const error: UpstreamError = { fault: 'retryable', code: 'http_500', message, retryAfterS: null, ...overrides };
  return { error, timedOut: false, status: 500, ...facts };
}

function started(retries = 1, list: readonly Route[] = routes, grant?: GrantRetry): AttemptPlan {
  const plan = new AttemptPlan(list, retries, grant, () => 0.5);
  plan.first();
  return plan;
}

describe('the order of attempts', () => {
  it('begins with the first route at once', () => {
    expect(new AttemptPlan(routes, 1).first()).toMatchObject({ route: { deployment: { id: 'first' } }, delayMs: 0 });
  });

  it('has nothing to try without routes', () => {
    expect(new AttemptPlan([], 1).first()).toBeNull();
  });

  it('tries a retryable error once more at the same deployment after a jittered wait, then the next, then nothing', () => {
    const plan = started();
    expect(plan.after(failure())).toMatchObject({ route: { deployment: { id: 'first' } }, delayMs: 100 });
    expect(plan.after(failure())).toMatchObject({ route: { deployment: { id: 'second' } }, delayMs: 0 });
    expect(plan.after(failure())).toBeNull();
  });

  it('spends its retries once for the whole request', () => {
    const plan = started(0);
    expect(plan.after(failure())).toMatchObject({ route: { deployment: { id: 'second' } } });
  });

  it('goes on with the next deployment when the retry is not granted', () => {
    const asked: unknown[] = [];
    const plan = started(1, routes, (route, delayMs) => {
      asked.push([route.deployment.id, delayMs]);
      return false;
    });
    expect(plan.after(failure({ retryAfterS: 1 }))).toMatchObject({ route: { deployment: { id: 'second' } } });
    expect(asked).toEqual([['first', 1_000]]);
  });

  it('goes on behind a route that was begun outside of it', () => {
    const plan = started();
    const [next] = plan.rest;
    if (next) plan.moveTo(next);
    expect(plan.rest).toEqual([]);
    expect(plan.skip()).toBeNull();
  });

  it('honours a Retry-After of up to two seconds', () => {
    expect(started().after(failure({ retryAfterS: 2 }))).toMatchObject({ delayMs: 2_000 });
  });

  it('leaves a provider that asks for more patience', () => {
    expect(started().after(failure({ retryAfterS: 3 }))).toMatchObject({
      route: { deployment: { id: 'second' } },
      delayMs: 0,
    });
  });

  it('leaves a provider that used up a time limit, and one where the fault is ours', () => {
    expect(started().after(failure({}, { timedOut: true }))).toMatchObject({ route: { deployment: { id: 'second' } } });
    expect(started().after(failure({ fault: 'ours' }))).toMatchObject({ route: { deployment: { id: 'second' } } });
  });

  it("stops at the caller's own fault", () => {
    expect(started().after(failure({ fault: 'caller' }))).toBeNull();
  });

  it.each<[number | null, number | null, string | undefined]>([
    [8_000, 8_000, undefined],
    [8_000, null, undefined],
    [null, 32_000, undefined],
    [8_000, 32_000, 'larger'],
  ])('sends what is too long for a window of %p to a fallback of %p: %p', (window, largerWindow, next) => {
    const models = [
      aModel({ deployments, contextWindow: window, fallbacks: ['acme/two'] }),
      aModel({
        id: 'acme/two',
        contextWindow: largerWindow,
        deployments: [{ id: 'larger', provider: 'acme', upstreamModel: 'two' }],
      }),
    ];
    const list = new RouteTable(aSnapshot([aProvider()], models), credentials, null);
    const plan = started(1, list.routes('acme/one', 'openai-chat', 'key-1'));
    const full = failure({ fault: 'caller', code: 'context_length_exceeded' }, { status: 400 });
    expect(plan.after(full)?.route.deployment.id).toBe(next);
    expect(plan.after(full)).toBeNull();
  });

  it('asks a server that lets requests wait again while it is busy, at its own pace, where there is no other place', () => {
    const homemade = aProvider({ queues: true });
    const list = new RouteTable(aSnapshot([homemade], [aModel({ deployments })]), credentials, null);
    const plan = started(0, list.routes('acme/one', 'openai-chat', 'key-1'));
    const busy = (retryAfterS: number | null) => plan.after(failure({ retryAfterS }, { status: 503 }));
    expect(busy(null)).toMatchObject({ route: { deployment: { id: 'second' } }, delayMs: 0 });
    expect(busy(null)).toMatchObject({ route: { deployment: { id: 'second' } }, delayMs: 1_000 });
    expect(busy(4)).toMatchObject({ route: { deployment: { id: 'second' } }, delayMs: 4_000 });
    expect(busy(15)).toMatchObject({ delayMs: 15_000 });
    expect(busy(null)).toBeNull();
  });

  it('asks every other provider that is busy no more than once again', () => {
    const plan = started(0);
    plan.skip();
    expect(plan.after(failure({}, { status: 503 }))).toBeNull();
  });

  it('does not repeat what is too large for the limits of a provider', () => {
    expect(started().after(failure({ aboutRequest: true }, { status: 429 }))).toMatchObject({
      route: { deployment: { id: 'second' } },
    });
  });

  it('skips a route that cannot take the request', () => {
    expect(started().skip()).toMatchObject({ route: { deployment: { id: 'second' } } });
  });
});
