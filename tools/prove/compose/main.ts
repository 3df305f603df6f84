import { parseArgs } from 'node:util';
import { StackError } from '../../stack/stack-error';
import { backup } from './backup';
import { requireDocker } from './docker-check';
import { firstStart } from './first-start';
import { Installation } from './installation';
import { edges, replacing, scaling } from './scaling';
import { seconds } from './step';
import type { Site, Step } from './step';
import { beforeNewestMigration, upgrade } from './upgrade';
import { watching } from './watching';

/**
 * `npm run prove:compose`: does what docs/operate.md says, with its very commands, in an installation of its own. Needs Docker; exits with 0 when all of it holds. What is
 * committed is proved. `--upgrade-from <commit>`, `--per-second 10`; `--only <parts of steps' names, with commas>`; `--keep` leaves containers and volumes for a look.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'upgrade-from': { type: 'string' },
      'per-second': { type: 'string', default: '10' },
      only: { type: 'string', default: '' },
      keep: { type: 'boolean', default: false },
    },
  });
  console.log(await requireDocker());
  const from = values['upgrade-from'] ?? (await beforeNewestMigration());
  const installation = new Installation();
  const say = (line: string) => console.log(`  ${line}`);
  const site: Site = { installation, apiKey: '', perSecond: Number(values['per-second']), say };
  try {
    const isChosen = ({ name }: Step) => values.only.split(',').some((part) => name.includes(part));
    const later = [scaling, replacing, edges, watching, backup].filter(isChosen);
    const last = [upgrade(from)].filter(isChosen);
    const steps = [...(later.length > 0 ? [firstStart, ...later] : []), ...last];
    for (const step of steps) {
      const startedAt = Date.now();
      console.log(`\n${step.name}`);
      await step.run(site);
      say(`held, ${seconds(Date.now() - startedAt)}`);
    }
    console.log(
      values.only === ''
        ? '\nProved, but for what is NOT CHECKED above: docs/operate.md does what it says.'
        : '\nThese steps held.',
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.log('\nNOT proved.');
    process.exitCode = 1;
  } finally {
    await installation.stopAndForget(values.keep);
    if (values.keep) console.log(`Kept: ${installation.folder}, project ${installation.project}`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof StackError ? error.message : error);
  process.exitCode = 1;
});
