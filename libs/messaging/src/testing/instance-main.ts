import { createLogger } from '@tollgate/observability';
import { connectToNats } from '../connection/connect-to-nats';
import { NatsGenerationServer } from '../generation/server/nats-generation-server';
import { UsageJournal } from '../usage/journal/usage-journal';
import type { InstanceOptions } from './instance-child';
import { scriptedHandler } from './scripted-handler';

/**
 * An instance as a process of its own, for tests that kill, freeze or cut one. Arguments: the NATS URL, and
 * settings as JSON with `maxInFlight` and the folder of a `journal`.
 */
async function main([url = '', options = '{}']: string[]): Promise<void> {
  const { maxInFlight = 1_000, journal: folder, ...settings } = JSON.parse(options) as InstanceOptions;
  const connection = await connectToNats({ url, name: 'instance' });
  const journal = folder === undefined ? null : new UsageJournal(folder, { logger: createLogger('instance') });
  const server = new NatsGenerationServer(connection, { ...settings, journal });
  const report = (message: object) => process.send?.(message);
  await server.serve(['openai-chat'], maxInFlight, scriptedHandler(report));
  report({ what: 'ready', instance: server.instanceId });
  process.once('SIGTERM', () => {
    void server.drain(20_000).then(() => process.exit(0));
  });
  process.once('disconnect', () => process.exit(1));
}

void main(process.argv.slice(2));
