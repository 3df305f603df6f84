import { EnvironmentError } from '@tollgate/configuration';
import { InferenceSettings } from './settings';

describe('the settings', () => {
  it('need nothing but the address of NATS', () => {
    const settings = new InferenceSettings({ NATS_URL: 'nats://127.0.0.1:4222' });
    expect(settings).toMatchObject({
      nats: { url: 'nats://127.0.0.1:4222' },
      logLevel: 'info',
      internalHost: '127.0.0.1',
      internalPort: 9101,
      sandbox: 'auto',
      sandboxUrl: null,
      maxInFlight: 2_000,
      upstreamConnections: 4_000,
      retries: 1,
      minConcurrency: 16,
      maxAnswerBytes: 64 * 1024 * 1024,
      answerMemory: expect.any(Number),
      journalFolder: null,
      drainMs: 120_000,
      tracing: null,
    });
    expect(settings.answerMemory).toBeGreaterThanOrEqual(268_435_456);
    expect(settings.answerMemory).toBeLessThanOrEqual(1_073_741_824);
    const told = { NATS_URL: 'nats://x', INFERENCE_ANSWER_MEMORY: '1000' };
    expect(new InferenceSettings(told).answerMemory).toBe(1_000);
  });

  it('trace when they name a collector, every trace unless told otherwise', () => {
    const traced = { NATS_URL: 'nats://x', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    expect(new InferenceSettings(traced).tracing).toEqual({ endpoint: 'http://collector:4318', sampleRatio: 1 });
    expect(new InferenceSettings({ ...traced, OTEL_TRACES_SAMPLER_ARG: '0.1' }).tracing?.sampleRatio).toBe(0.1);
    expect(() => new InferenceSettings({ ...traced, OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow('OTEL_TRACES_SAMPLER_ARG');
  });

  it('name every variable that is wrong', () => {
    const read = (): unknown => new InferenceSettings({ INFERENCE_MAX_IN_FLIGHT: '0', TOLLGATE_SANDBOX: 'maybe' });
    expect(read).toThrow(EnvironmentError);
    for (const name of ['NATS_URL', 'INFERENCE_MAX_IN_FLIGHT', 'TOLLGATE_SANDBOX']) expect(read).toThrow(name);
  });
});
