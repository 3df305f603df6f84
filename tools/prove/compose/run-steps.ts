import type { Say } from '../proof';
import { seconds } from './step';
import type { Site, Step } from './step';

/**
 * Runs steps in their order, and says which did not hold. One that does not keeps none of the others from
 * being looked at: they go on in an installation that is begun anew, with a new key.
 * Returns the names of those that did not hold.
 * @throws Error where the first does not hold, which makes the installation, or none can be begun anew.
 */
export async function runSteps(steps: readonly Step[], site: Site, tell: Say): Promise<string[]> {
  const fell: string[] = [];
  for (const step of steps) {
    const startedAt = Date.now();
    tell(`\n${step.name}`);
    try {
      await step.run(site);
      site.say(`held, ${seconds(Date.now() - startedAt)}`);
    } catch (error) {
      if (step === steps[0]) throw error;
      fell.push(step.name);
      site.say(`NOT held: ${error instanceof Error ? error.message : String(error)}`);
      if (step !== steps.at(-1)) await beginAnew(site);
    }
  }
  return fell;
}

async function beginAnew(site: Site): Promise<void> {
  await site.installation.beginAnew();
  site.apiKey = await site.installation.createKey();
}
