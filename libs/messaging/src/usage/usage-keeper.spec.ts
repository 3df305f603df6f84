import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { gathered, UsageKeeper } from './usage-keeper';

const bodies = (...texts: string[]) => texts.map((text) => Buffer.from(text));
const told = (messages: readonly Buffer[]) => messages.map((message) => message.toString());

describe('messages gathered to be kept', () => {
  it('are one array of all their items, in their order', () => {
    expect(told(gathered(bodies('[{"a":[1]},{"b":"]"}]', ' [ 2 ] ', '[3]')))).toEqual(['[{"a":[1]},{"b":"]"}, 2 ,3]']);
    expect(gathered([])).toEqual([]);
  });

  it('are several where one would be too large, and one that is too large alone stays whole', () => {
    const three = bodies('[11111]', '[22222]', '[33333333333333]');
    expect(told(gathered(three, 13))).toEqual(['[11111,22222]', '[33333333333333]']);
    expect(told(gathered(three, 12))).toEqual(['[11111]', '[22222]', '[33333333333333]']);
  });
});

it('waits for no answer of JetStream after it failed, and says once that it does', async () => {
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => logged.push(line) });
  const never = new Promise<never>(() => undefined);
  const failed: Promise<never>[] = [];
  let asked = 0;
  const publish = (): Promise<never> => {
    if (asked++ % 2 === 1) return never;
    const failure = Promise.reject(new Error('no stream'));
    failed.push(failure);
    return failure;
  };
  const keeper = new UsageKeeper({ jetstream: () => ({ publish }) } as unknown as NatsConnection, logger);
  for (let batch = 0; batch < 4; batch++) await keeper.keep(bodies('[1]'));
  await Promise.allSettled(failed);
  expect([asked, failed.length, logged.length]).toEqual([4, 2, 1]);
});
