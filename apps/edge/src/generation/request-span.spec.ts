import { traceparentOf } from './request-span';

it('takes a trace context of the known form only', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  expect(traceparentOf({ traceparent })).toBe(traceparent);
  expect(traceparentOf({ traceparent: `${traceparent}\n` })).toBeNull();
  expect(traceparentOf({})).toBeNull();
});
