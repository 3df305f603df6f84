import { eventually } from '@tollgate/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceRegistry } from './service-registry';

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until) continue;
}

describe("a service's registry", () => {
  it('counts a second in which the event loop was late, and how late it was', async () => {
    const registry = serviceRegistry();
    const told = (metrics: string, what: 'sum' | 'count'): number =>
      Number(new RegExp(`^tollgate_event_loop_delay_seconds_${what} (.+)$`, 'm').exec(metrics)?.[1]);
    const text = await eventually(
      async () => {
        // What comes before the monitor has looked once is not seen by it.
        block(350);
        await sleep(50);
        return registry.metrics();
      },
      (metrics) => told(metrics, 'sum') > 0.25,
    );
    expect(told(text, 'count')).toBeGreaterThan(0);
    expect(told(text, 'sum')).toBeGreaterThan(0.25);
  });

  it('tells each service of a process the same of its event loop', async () => {
    const registries = [serviceRegistry(), serviceRegistry()];
    const told = (metrics: string): string[] =>
      metrics.split('\n').filter((line) => /^tollgate_event_loop_/.test(line));
    const [one = [], other = []] = await eventually(
      async () => (await Promise.all(registries.map((registry) => registry.metrics()))).map(told),
      // A second may begin between the two.
      ([one = [], other = []]) => one.join() === other.join() && !one.join().includes('_count 0'),
    );
    expect(one.length).toBeGreaterThan(3);
    expect(one).toEqual(other);
  });

  it('tells of the process', async () => {
    expect(await serviceRegistry().metrics()).toContain('process_resident_memory_bytes');
  });
});
