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
    await sleep(50);
    block(350);
    const text = await eventually(
      () => registry.metrics(),
      (metrics) => /^tollgate_event_loop_delay_seconds_count [1-9]/m.test(metrics),
    );
    const [, sum] = /^tollgate_event_loop_delay_seconds_sum (.+)$/m.exec(text) ?? [];
    expect(Number(sum)).toBeGreaterThan(0.25);
  });

  it('tells of the process', async () => {
    expect(await serviceRegistry().metrics()).toContain('process_resident_memory_bytes');
  });
});
