import { settingFaults } from '@tollgate/configuration';
import { Command } from 'commander';
import { Refusal } from '../failure';
import type { Surroundings } from '../gateway';

/**
 * `check`: reads every setting of an installation as its services will, before they start.
 * @throws Refusal naming everything that is wrong.
 */
export function check({ environment, output }: Surroundings): Command {
  return new Command('check').option('--json', 'print JSON').action(({ json }: { json?: boolean }) => {
    const faults = settingFaults(environment);
    if (faults.length === 0 || json) output.show({ faults }, json, () => 'The settings are fine.');
    if (faults.length > 0 && json) throw new Refusal('The settings are not usable.');
    if (faults.length > 0) throw new Refusal(['The settings are not usable:', ...faults].join('\n  - '));
  });
}
