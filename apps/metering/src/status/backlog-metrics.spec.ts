import { Registry } from 'prom-client';
import { showBacklog } from './backlog-metrics';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('the figures of the backlog', () => {
  it('come from one answer of JetStream', async () => {
    const registry = new Registry();
    let asked = 0;
    showBacklog(registry, {
      read: async () => {
        asked += 1;
        return { messages: 12, received: 40, oldest: 29, deadLetters: 3, copies: { kept: 1, wanted: 3 }, madeAt: 0 };
      },
    });
    const text = await registry.metrics();
    expect(text).toMatch(/^tollgate_metering_pending_messages 12$/m);
    expect(text).toMatch(/^tollgate_metering_dead_letters 3$/m);
    expect(text).toMatch(/^tollgate_metering_stream_copies 1$/m);
    expect(text).toMatch(/^tollgate_metering_stream_copies_wanted 3$/m);
    expect(asked).toBe(1);
  });

  it('are asked for anew after half a second, however often they are looked at meanwhile', async () => {
    const registry = new Registry();
    let messages = 0;
    const state = { received: 1, oldest: 1, deadLetters: 0, copies: { kept: 1, wanted: 1 }, madeAt: 0 };
    showBacklog(registry, { read: async () => ({ ...state, messages: (messages += 1) }) });
    for (const told of [1, 1, 2, 2]) {
      expect(await registry.metrics()).toContain(`tollgate_metering_pending_messages ${told}\n`);
      jest.advanceTimersByTime(300);
    }
  });

  it('have no value while JetStream does not answer', async () => {
    const registry = new Registry();
    let away = false;
    showBacklog(registry, {
      read: () =>
        away
          ? Promise.reject(new Error('gone'))
          : Promise.resolve({
              messages: 1,
              received: 1,
              oldest: 1,
              deadLetters: 0,
              copies: { kept: 1, wanted: 1 },
              madeAt: 0,
            }),
    });
    expect(await registry.metrics()).toMatch(/^tollgate_metering_pending_messages 1$/m);
    away = true;
    jest.advanceTimersByTime(600);
    const text = await registry.metrics();
    expect(text).not.toMatch(/^tollgate_metering_(pending_messages|dead_letters) /m);
    expect(text).toContain('# TYPE tollgate_metering_dead_letters gauge');
  });
});
