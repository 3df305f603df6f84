import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFirstAdministrator } from '../first-administrator';
import { commandsOf, readmeBlocks } from '../../checks/readme-blocks';
import { expectRunning } from './scaling';
import { seconds } from './step';
import type { Step } from './step';

/** The README's way from nothing to a key that works, word for word, and the end of it. */
export const readme: Step = {
  name: 'what the README says first',
  async run(site) {
    const { installation, say } = site;
    await installation.follow('wipe');
    const text = readFileSync(join(installation.checkout, 'README.md'), 'utf8');
    const commands = readmeBlocks(text)
      .filter(({ check }) => check === 'compose')
      .flatMap(commandsOf);
    const end = commands.pop() ?? '';
    const printed: string[] = [];
    for (const command of commands) {
      const { stdout, tookMs } = await installation.run(command);
      printed.push(stdout.trim());
      say(`${command}: ${seconds(tookMs)}`);
    }
    await installation.trustProxy();
    const secret = printed.find((line) => /^[0-9a-f]{64}$/.test(line)) ?? '';
    const { email } = await makeFirstAdministrator(installation.baseUrl, secret);
    say(`the first administrator, with the secret that was printed: ${email}`);
    const [key = ''] = /tg_sk_\w+/.exec(printed.join('\n')) ?? [];
    say(`a completion, with the key that was printed: ${(await installation.complete(key)).length} characters`);
    await expectRunning(installation, 'inference', 3);
    await installation.run(end);
    for (const service of ['proxy', 'edge', 'inference']) await expectRunning(installation, service, 0);
    say(`${end}: nothing runs`);
    await installation.follow('up');
    site.apiKey = key;
  },
};
