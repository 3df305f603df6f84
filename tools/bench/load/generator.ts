import { loadJob } from './job';
import { LoadRun } from './load-run';

/**
 * A process of its own that makes load, so that its work does not disturb the measuring: one job a message,
 * one result back.
 */
process.on('message', (message) => void work(message));
process.on('disconnect', () => process.exit(0));

async function work(message: unknown): Promise<void> {
  process.send?.(await new LoadRun(loadJob.parse(message)).run());
}
