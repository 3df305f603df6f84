import { FakeClock } from '../testing/fake-clock';
import { RequestContext, requestIdOf } from './request-context';

describe('the id of a request', () => {
  it.each(['abc', 'A-1_2.3', 'x'.repeat(128)])('is the caller’s when it is sane: %s', (id) => {
    expect(requestIdOf({ 'x-request-id': id })).toBe(id);
  });

  it.each([undefined, '', 'a b', 'a\nb', 'x'.repeat(129), 'é'])('is ours instead of %j', (id) => {
    expect(requestIdOf({ 'x-request-id': id })).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it('warns of each thing once, also of one whose words begin those of another', () => {
  const context = new RequestContext('r', new FakeClock());
  for (const words of ['over budget: ab', 'over budget: a', 'over budget: ab', 'over budget: a']) context.warn(words);
  expect(context.headers(false)).toMatchObject({ 'x-gateway-warnings': 'over budget: ab; over budget: a' });
});

describe('the overhead of a request', () => {
  it('is the time until it was handed on, without waiting for the body or for a turn', async () => {
    const clock = new FakeClock();
    const context = new RequestContext('r', clock);
    clock.advance(2);
    await context.waitingFor(() => Promise.resolve(clock.advance(1_000)));
    clock.advance(1.5);
    const waiting = context.waitingFor(() => {
      clock.advance(30_000);
      return Promise.reject(new Error('in vain'));
    });
    await expect(waiting).rejects.toThrow('in vain');
    context.dispatched();
    clock.advance(9_000);
    expect(context.headers(true)).toMatchObject({ 'x-gateway-overhead-ms': '3.50', 'x-gateway-sandbox': 'true' });
    context.simulated = false;
    expect(context.headers(true)['x-gateway-sandbox']).toBeUndefined();
  });
});
