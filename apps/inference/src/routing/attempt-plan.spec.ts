import type { UpstreamError } from '@tollgate/dialects';
import { AttemptPlan, type GrantRetry } from './attempt-plan';
import { RouteTable, type Route } from './route-table';
import { aModel, aProvider, aSnapshot, someCredentials } from '../testing/fixtures';

const deployments = ['first', 'second'].map((id) => ({ id, provider: 'acme', upstreamModel: id }));
const snapshot = aSnapshot([aProvider()], [aModel({ deployments })]);
const credentials = someCredentials([aProvider()], { acme: 'key' });
const routes = new RouteTable(snapshot, credentials, null).routes('acme/one', 'openai-chat', 'key-1');

function error(overrides: Partial<UpstreamError> = {}): UpstreamError {
  return { fault: 'retryable', code: 'http_500', message: 'Acme answered 500', retryAfterS: null, ...overrides };
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
    expect(plan.after(error(), false)).toMatchObject({ route: { deployment: { id: 'first' } }, delayMs: 100 });
    expect(plan.after(error(), false)).toMatchObject({ route: { deployment: { id: 'second' } }, delayMs: 0 });
    expect(plan.after(error(), false)).toBeNull();
  });

  it('spends its retries once for the whole request', () => {
    const plan = started(0);
    expect(plan.after(error(), false)).toMatchObject({ route: { deployment: { id: 'second' } } });
  });

  it('goes on with the next deployment when the retry is not granted', () => {
    const asked: unknown[] = [];
    const plan = started(1, routes, (route, delayMs) => {
      asked.push([route.deployment.id, delayMs]);
      return false;
    });
    expect(plan.after(error({ retryAfterS: 1 }), false)).toMatchObject({ route: { deployment: { id: 'second' } } });
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
    expect(started().after(error({ retryAfterS: 2 }), false)).toMatchObject({ delayMs: 2_000 });
  });

  it('leaves a provider that asks for more patience', () => {
    expect(started().after(error({ retryAfterS: 3 }), false)).toMatchObject({
      route: { deployment: { id: 'second' } },
      delayMs: 0,
    });
  });

  it('leaves a provider that used up a time limit, and one where the fault is ours', () => {
    expect(started().after(error(), true)).toMatchObject({ route: { deployment: { id: 'second' } } });
    expect(started().after(error({ fault: 'ours' }), false)).toMatchObject({ route: { deployment: { id: 'second' } } });
  });

  it("stops at the caller's own fault", () => {
    expect(started().after(error({ fault: 'caller' }), false)).toBeNull();
  });

  it('skips a route that cannot take the request', () => {
    expect(started().skip()).toMatchObject({ route: { deployment: { id: 'second' } } });
  });
});
