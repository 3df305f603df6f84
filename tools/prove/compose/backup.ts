import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from './step';
import type { Step } from './step';
import { underTraffic } from './traffic-proof';

const loadMs = 5_000;

export const backup: Step = {
  name: 'backup, everything deleted, restored',
  async run({ installation, apiKey, perSecond, say }) {
    await underTraffic(installation.baseUrl, apiKey, perSecond, () => delay(loadMs));
    const before = await installation.recount();
    say(
      `backed up in ${seconds((await installation.follow('backup')).tookMs)}: ${sizes(join(installation.checkout, 'backup'))}`,
    );
    await installation.follow('wipe');
    say(`restored in ${seconds((await installation.follow('restore')).tookMs)}`);
    const after = await installation.recount();
    if (JSON.stringify(after) !== JSON.stringify(before))
      throw new Error(`the ledger was ${JSON.stringify(before)} and is ${JSON.stringify(after)}`);
    say(`usage recount: ${JSON.stringify(after)}, as before`);
    // The proxy made itself a new authority: its volume holds nothing that must not be lost.
    await installation.trustProxy();
    say(`a completion with the old key: ${(await installation.complete(apiKey)).length} characters`);
  },
};

function sizes(folder: string): string {
  return readdirSync(folder)
    .map((name) => `${name} ${(statSync(join(folder, name)).size / 1_024).toFixed(0)} KiB`)
    .join(', ');
}
