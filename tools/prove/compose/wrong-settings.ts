import { operateBlock } from './operate-docs';
import { seconds } from './step';
import type { Site, Step } from './step';

/** Settings that nothing may start with, and what is said of each. */
const wrong: [setting: string, value: string, told: RegExp][] = [
  ['LOG_LEVEL', 'loud', /LOG_LEVEL: must be one of fatal/],
  ['INFERENCE_INSTANCES', '0', /INFERENCE_INSTANCES/],
  ['TOLLGATE_HTTPS_PORT', 'https', /Invalid hostPort: https/i],
  ['EDGE_BODY_LIMIT', 'large', /EDGE_BODY_LIMIT/],
  ['METERING_RETENTION_MONTHS', '-1', /METERING_RETENTION_MONTHS/],
  ['SMTP_URL', 'smtp', /SMTP_/],
  ['TOLLGATE_CONFIG', './nowhere.yaml', /nowhere\.yaml/],
];

export const wrongSettings: Step = {
  name: 'wrong settings, one by one',
  async run({ installation, apiKey, say }) {
    for (const [setting, value, told] of wrong) {
      // What it says counts, and not how it ends: Podman (4.3) forgets that of a container which it removes.
      const heard = await installation
        .run('docker compose run --rm -T check 2>&1', { [setting]: value })
        .then(({ stdout }) => stdout, String);
      if (!told.test(heard)) throw new Error(`${setting}=${value}: ${heard}`);
      say(`${setting}=${value}: told, nothing started`);
    }
    await installation.run('docker compose run --rm -T check');
    const doctor = 'docker compose run --rm -T cli doctor 2>&1';
    const well = (await installation.run(doctor)).stdout;
    if (!well.includes('Nothing is wrong.')) throw new Error(`doctor, where all is well: ${well}`);
    const ill = await installation.run(doctor, { LOG_LEVEL: 'loud' }).then(({ stdout }) => stdout, String);
    if (!ill.includes('LOG_LEVEL: must be one of fatal')) throw new Error(`doctor, LOG_LEVEL=loud: ${ill}`);
    say('tollgate doctor: nothing is wrong, and later a wrong setting is told beside what runs');
    await startWrongly({ installation, apiKey, say });
  },
};

/** Far longer than a start takes. */
const patienceS = 180;

/** Who did not ask first is told, too, and all is well again once the setting is. */
async function startWrongly({ installation, apiKey, say }: Omit<Site, 'perSecond'>): Promise<void> {
  const startedAt = Date.now();
  const up = `timeout ${patienceS} ${operateBlock('up').trim()}`;
  const ended = await installation.run(up, { LOG_LEVEL: 'loud' }).then(() => 'well', String);
  if (ended === 'well' || ended.includes('exit code 124')) throw new Error(`up, LOG_LEVEL=loud: ended ${ended}`);
  const tookMs = Date.now() - startedAt;
  const { stdout } = await installation.run('docker compose logs check 2>&1');
  if (!stdout.includes('LOG_LEVEL: must be one of fatal')) throw new Error(`check, LOG_LEVEL=loud: ${stdout}`);
  say(`up with LOG_LEVEL=loud ends after ${seconds(tookMs)}, and the log of check says why`);
  say(`mended, up in ${seconds((await installation.follow('up')).tookMs)}`);
  say(`a completion: ${(await installation.complete(apiKey)).length} characters`);
}
