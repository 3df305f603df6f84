import { decimalFromNanoUsd } from '@tollgate/contracts';
import { freePort, startPostgres } from '@tollgate/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AbsentError } from '../clients/install';
import { inSession, rowsOf } from '../cluster/sql';
import type { ProofOptions, ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { configYaml, litellmModels } from './config-yaml';
import { planEstate } from './estate';
import { fillLitellm } from './fill-litellm';
import { applyMigrations, litellmMigrations, litellmTables, type Migration } from './litellm-schema';
import { installLitellm, litellmVersion, type InstalledLitellm } from './litellm/install-litellm';
import { startLitellm } from './litellm/litellm-proxy';
import { ProviderFront } from './litellm/provider-front';
import { proveComeOver } from './prove-come-over';
import { problemsOf } from './verdict';

export const comeOverOptions = {
  keys: { type: 'string', default: '10000' },
  models: { type: 'string', default: '200' },
  callers: { type: 'string', default: '100' },
  keep: { type: 'boolean', default: false },
} as const satisfies ProofOptions;

const mostShown = 40;

/**
 * Holds when every sampled caller of LiteLLM goes on with its key, model and path, whoever was refused there
 * is refused here, and sums are equal to the nano-dollar. Without PyPI it says so, and does not hold.
 */
export async function runComeOver(values: ProofValues<typeof comeOverOptions>, say: Say): Promise<boolean> {
  try {
    const installed = await hadLitellm(say);
    return await play(values, await litellmMigrations(installed?.folder ?? null), installed, say);
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
    say(`LiteLLM's tables cannot be had from PyPI, so nothing was proved: ${error.message}`);
    return false;
  }
}

/** Null, and told: without its proxy its tables hold what its code writes by the plan alone. */
async function hadLitellm(say: Say): Promise<InstalledLitellm | null> {
  try {
    return await installLitellm();
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
    say(`LiteLLM's proxy cannot be had here, so callers do not ask it first: ${error.message}`);
    return null;
  }
}

async function play(
  { keys, models: count, callers, keep }: ProofValues<typeof comeOverOptions>,
  migrations: readonly Migration[],
  installed: InstalledLitellm | null,
  say: Say,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-come-over-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres();
    ends.push(() => postgres.stop());
    const sandboxPort = await freePort();
    const front = await ProviderFront.start(`http://127.0.0.1:${sandboxPort}`);
    ends.push(() => front.stop());
    const { names, list } = litellmModels(Number(count), `${front.url}/v1`);
    const estate = planEstate(Number(keys), names);
    const urlOf = (name: string): string => Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
    const litellmUrl = urlOf('litellm');
    await rowsOf(urlOf('postgres'), 'CREATE DATABASE litellm');
    await inSession(litellmUrl, async (client) => {
      await applyMigrations(client, migrations);
      await fillLitellm(client, estate, installed === null);
    });
    say(`${migrations.length} migrations of ${litellmTables}, ${keys} keys, ${names.length} models.`);
    writeFileSync(join(folder, 'config.yaml'), configYaml(list));
    writeFileSync(join(folder, 'tollgate.yaml'), 'models: []\n');
    const environment = { TOLLGATE_CONFIG: join(folder, 'tollgate.yaml') };
    return await withStack({ onProgress: say, environment, keep, sandboxPort }, async (stack) => {
      const move = { estate, models: names, litellmUrl, folder, callers: Number(callers) };
      const site = { work: folder, configFile: join(folder, 'config.yaml'), databaseUrl: litellmUrl };
      const litellm = installed && (await startLitellm(installed, { ...site, providersUrl: front.url }));
      if (litellm) {
        ends.push(() => litellm.stop());
        say(`LiteLLM ${litellmVersion} runs.`);
      }
      const seen = await proveComeOver(stack, { ...move, litellm }, say);
      const problems = problemsOf(seen);
      for (const problem of problems.slice(0, mostShown)) say(`  ${problem}`);
      const { held, asked } = seen;
      const [spent, limits, opened] = [held.openingOfKeys, held.limits, held.openingOfBudgets].map(decimalFromNanoUsd);
      say(`${held.keys} keys (${held.revoked} revoked) of ${held.accounts} accounts, ${held.people} people;`);
      say(`  $${spent} spent before; ${held.budgets} budgets of $${limits}, of which $${opened} are spent`);
      const goOn = asked.filter(({ caller, text }) => caller.refused === 'none' && text !== null).length;
      say(`  ${goOn} of ${callers} callers go on; ${asked.length - seen.callers} requests that LiteLLM refuses`);
      say(problems.length === 0 ? 'HOLDS' : `DOES NOT HOLD: ${problems.length} problems`);
      return problems.length === 0;
    });
  } finally {
    for (const end of ends.toReversed())
      await Promise.resolve()
        .then(end)
        .catch((error: unknown) => say(String(error)));
  }
}
