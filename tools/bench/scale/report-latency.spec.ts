import { ControlError } from '@tollgate/contracts';
import { reportLatency } from './report-latency';
import { scaleReport } from './scale-report';

describe('the latency of reports', () => {
  const history = { keys: 5, models: ['a'], untilMs: 1_000, lengthMs: 86_400_000, events: 1e6 };
  const failing = (error: Error) => ({ call: () => Promise.reject(error) });

  it('counts an answer that was given up on with the time until then, and says so', async () => {
    const latency = await reportLatency(failing(new ControlError('unavailable', 'Too slow.')), history, 3);
    expect(latency['report, month']).toMatchObject({ p50: expect.any(Number), gaveUp: 3 });
    const bytes = { events: 0, minutes: 0, hours: 0 };
    const report = scaleReport(history, [{ events: 1e6, bytes, latency, ingestPerS: 1 }]);
    expect(report).toMatch(/\| report, month \| \d+\.\d \/ \d+\.\d \(3 given up on\) \|/);
  });

  it('ends with any other failure', async () => {
    await expect(reportLatency(failing(new ControlError('internal', 'Broken.')), history, 3)).rejects.toThrow(
      'Broken.',
    );
  });
});
