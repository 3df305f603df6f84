import type { ProofValues, Say } from '../proof';
import { backup, moving, newPostgres } from './backup';
import { requireDocker } from './docker-check';
import { firstStart, unattended } from './first-start';
import { firewall, hardening } from './hardening';
import { Installation } from './installation';
import { compact, journal, ownCertificate, outsideServers, ownProxy, threeNats } from './overlays';
import { formerRelease } from '../upgrade/former-release';
import { killing, unanswered } from './killing';
import { edges, natsPasswords, passwords, pepper, replacing, scaling } from './scaling';
import { readme } from './readme';
import { provideImages } from './stand-ins';
import { runSteps } from './run-steps';
import type { Site, Step } from './step';
import { upgrade } from './upgrade';
import { watching } from './watching';
import { wrongSettings } from './wrong-settings';

/**
 * `--upgrade-from <commit>`; `--only <parts of steps' names, with commas>`; `--keep` leaves containers and
 * volumes for a look.
 */
export const composeOptions = {
  'upgrade-from': { type: 'string' },
  'per-second': { type: 'string', default: '10' },
  only: { type: 'string', default: '' },
  keep: { type: 'boolean', default: false },
} as const;

/** In this order. */
const afterTheFirst: readonly Step[] = [
  ...[hardening, firewall, wrongSettings, scaling, killing, unanswered, replacing],
  ...[passwords, natsPasswords, pepper, edges, watching, backup, moving, ownProxy],
  ...[ownCertificate, journal, compact, threeNats, outsideServers, newPostgres, unattended, readme],
];

/**
 * Does what docs/operate.md says, with its very commands, in an installation of its own; holds when all of it
 * does. What is committed is proved.
 * @throws StackError without Docker
 */
export async function runCompose(values: ProofValues<typeof composeOptions>, tell: Say): Promise<boolean> {
  const engine = await requireDocker();
  tell(engine.told);
  const from = values['upgrade-from'] ?? (await formerRelease());
  const installation = new Installation(engine.isPodman);
  const say = (line: string) => tell(`  ${line}`);
  const site: Site = { installation, apiKey: '', perSecond: Number(values['per-second']), say };
  try {
    tell(await provideImages(installation.folder));
    const isChosen = ({ name }: Step) => values.only.split(',').some((part) => name.includes(part));
    const later = afterTheFirst.filter(isChosen);
    const last = [upgrade(from)].filter(isChosen);
    const steps = [...(later.length > 0 ? [firstStart, ...later] : []), ...last];
    const fell = await runSteps(steps, site, tell);
    if (fell.length > 0) {
      tell(`\nNOT proved. ${fell.length} of ${steps.length} steps did not hold: ${fell.join('; ')}.`);
      return false;
    }
    tell(
      values.only === ''
        ? '\nProved, but for what is NOT CHECKED above: docs/operate.md does what it says.'
        : '\nThese steps held.',
    );
    return true;
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
    tell('\nNOT proved.');
    return false;
  } finally {
    await installation.stopAndForget(values.keep);
    if (values.keep) tell(`Kept: ${installation.folder}, project ${installation.project}`);
  }
}
