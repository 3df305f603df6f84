import { connectToNats } from '../connection/connect-to-nats';
import type { HopSettings } from '../generation/hop-settings';
import { NatsGenerationServer } from '../generation/server/nats-generation-server';
import { scriptedHandler } from './scripted-handler';

/** An instance as a process of its own, for tests that kill, freeze or cut one. Arguments: the NATS URL, and settings as JSON with `maxInFlight`. */
async function main([url = '', options = '{}']: string[]): Promise<void> {
  const { maxInFlight = 1_000, ...settings } = JSON.parse(options) as Partial<HopSettings> & { maxInFlight?: number };
  const connection = await connectToNats({ url, name: 'instance' });
  const server = new NatsGenerationServer(connection, settings);
  const report = (message: object) => process.send?.(message);
  await server.serve(['openai-chat'], maxInFlight, scriptedHandler(report));
  report({ what: 'ready', instance: server.instanceId });
  process.once('SIGTERM', () => {
    void server.drain(20_000).then(() => process.exit(0));
  });
  process.once('disconnect', () => process.exit(1));
}

void main(process.argv.slice(2));
