import { createTracer } from './create-tracer';
import { noSpan, noTracer } from './tracer';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = (flags: string) => `00-${traceId}-b7ad6b7169203331-${flags}`;
/** Nobody listens there. */
const endpoint = 'http://127.0.0.1:9';

describe('a tracer without a place to send spans to', () => {
  it('is off, and has one span for everything', async () => {
    const tracer = await createTracer('spec', null);
    expect(tracer).toBe(noTracer);
    expect(tracer.isOn).toBe(false);
    expect(tracer.start('any', 'server', parent('01'), {})).toBe(noSpan);
    expect(noSpan.traceparent).toBeNull();
  });
});

describe('a tracer', () => {
  it('goes on with the trace of its parent, sampled or not as that says, whatever its own ratio is', async () => {
    for (const sampleRatio of [0, 1]) {
      const tracer = await createTracer('spec', { endpoint, sampleRatio });
      for (const flags of ['00', '01']) {
        const span = tracer.start('work', 'server', parent(flags), {});
        expect(span.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-${flags}$`));
        expect(span.traceparent).not.toBe(parent(flags));
      }
    }
  });

  it.each([
    [0, '00'],
    [1, '01'],
  ])('keeps the share %d of the traces that begin with it', async (sampleRatio, flags) => {
    const tracer = await createTracer('spec', { endpoint, sampleRatio });
    const traces = Array.from({ length: 20 }, () => tracer.start('work', 'client', null, {}).traceparent ?? '');
    expect(new Set(traces.map((one) => one.split('-')[1])).size).toBe(20);
    expect([...new Set(traces.map((one) => one.split('-')[3]))]).toEqual([flags]);
  });

  it('begins a trace of its own below a parent that is not valid', async () => {
    const tracer = await createTracer('spec', { endpoint, sampleRatio: 1 });
    expect(tracer.start('work', 'server', 'nonsense', {}).traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('does not hold up the end of the process when the collector is away', async () => {
    // For so long it is tried again, also after the shutdown gave up.
    process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '4000';
    const tracer = await createTracer('spec', { endpoint, sampleRatio: 1 });
    tracer.start('work', 'server', null, {}).end();
    const begin = performance.now();
    await tracer.shutdown();
    expect(performance.now() - begin).toBeLessThan(20_000);
  });
});
