import { ControlError } from '@tollgate/contracts';
import { ran } from '../ran.fixture';

describe('doctor', () => {
  const catalog = {
    ...{ revision: 3, generatedAt: 1, sandbox: true, providers: [], models: [], available: [], factsAsOf: null },
  };
  const usage = { pendingEvents: 0, deadLetters: 0, reservedTokens: 0, liveLeases: 0 };
  const running = (version: string, ...services: string[]) =>
    services.map((service) => ({ service, version, instance: `${service}/1`, startedAt: 1 }));
  const all = ['edge', 'inference', 'accounts', 'catalog', 'metering'];
  const replies = (instances: unknown, metering: unknown = usage) => [
    ...[instances, { accounts: [], next: null }, catalog, usage, metering],
  ];

  it('is content with settings and services that are as they should be', async () => {
    const { out } = await ran('doctor', replies(running('1.0.0', ...all)), { LOG_LEVEL: 'info' });
    expect(out).toBe('Nothing is wrong.');
  });

  it('tells at once what is wrong with the settings, with what runs and with usage', async () => {
    const metering = { ...usage, deadLetters: 2, copies: { kept: 2, wanted: 3 } };
    const instances = [...running('1.0.0', 'edge', 'accounts', 'catalog'), ...running('1.1.0', 'metering')];
    const told = await ran('doctor', replies(instances, metering), { LOG_LEVEL: 'loud' }).then(
      ({ out }) => out,
      (error: unknown) => String(error),
    );
    for (const what of ['LOG_LEVEL: must be', 'inference does not answer', '1.0.0, 1.1.0', ': 2 (', '2 of 3 copies'])
      expect(told).toContain(what);
    expect(told.split('\n')).toHaveLength(6);
  });

  it('keeps what it found where metering does not tell of usage', async () => {
    const away = new ControlError('unavailable', 'metering went away');
    const told = ran('doctor', replies(running('1.0.0', ...all), away), { LOG_LEVEL: 'loud' });
    await expect(told).rejects.toThrow(/LOG_LEVEL: must be.*\n {2}- metering went away$/s);
  });

  it('says that NATS does not read the users of this release', async () => {
    await expect(ran('doctor', replies(null))).rejects.toThrow('docker compose kill -s HUP nats');
  });
});
