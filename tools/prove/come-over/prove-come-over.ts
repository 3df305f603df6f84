import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { rowsOf } from '../cluster/sql';
import type { Say } from '../proof';
import { SimulatedProvider } from '../simulated-provider';
import { ask } from './ask';
import { type Asked, type Caller, sampleCallers } from './callers';
import type { Estate } from './estate';
import { expectedHoldings } from './expected';
import { askLitellm } from './litellm/ask-litellm';
import { makeByApi } from './litellm/by-api';
import type { LitellmProxy } from './litellm/litellm-proxy';
import { type ImportRun, peakMemory, runImport } from './run-import';
import type { Seen } from './verdict';
import { added, changedTables, holdings, printOf } from './witnesses';

interface Move {
  estate: Estate;
  models: readonly string[];
  litellmUrl: string;
  /** Holds `config.yaml`, and `tollgate.yaml`, which the stack reads. */
  folder: string;
  callers: number;
  /** LiteLLM itself, which is stopped before the move; null: it cannot be had here. */
  litellm: LitellmProxy | null;
}

const listedWithinMs = 30_000;

/** Moves the estate to the stack as docs/come-over.md says, and tells what was seen. */
export async function proveComeOver(stack: Stack, move: Move, say: Say): Promise<Seen> {
  const { folder, litellmUrl } = move;
  const callers = sampleCallers(move.estate, move.models, move.callers);
  const there = await playThere(move, callers, say);
  const estate = there === null ? move.estate : await asItStands(move.estate, litellmUrl);
  const written = join(folder, 'written.yaml');
  const args = ['--config', join(folder, 'config.yaml'), '--write', written];
  const environment = { NATS_URL: stack.natsUrl, LITELLM_DATABASE_URL: litellmUrl };
  const { apiKey } = await stack.createKey({ name: 'operator', plan: 'enterprise', rpm: null, quotaTokens: null });
  const [litellmBefore, before, stood] = await Promise.all([
    printOf(litellmUrl),
    printOf(stack.databaseUrl),
    holdings(stack.databaseUrl),
  ]);

  const dry = await runImport([...args, '--dry-run'], environment);
  tell('Dry run', dry, say);
  const dryWroteFile = existsSync(written);
  const dryChanged = changedTables(before, await printOf(stack.databaseUrl));

  // Accounts refuses keys whose plans it does not know; the file is there then.
  tell('First run, for the file', await runImport(args, environment), say);
  copyFileSync(written, join(folder, 'tollgate.yaml'));
  await untilListed(stack.baseUrl, apiKey, move.models);

  tell('Import', await runImport(args, environment), say);
  say(`accounts held at most ${peakMemory(stack.process('accounts').pid) ?? '?'} MiB.`);
  const held = added(await holdings(stack.databaseUrl), stood);
  const kept = await printOf(stack.databaseUrl);
  tell('Once more', await runImport(args, environment), say);
  const againChanged = changedTables(kept, await printOf(stack.databaseUrl));

  const provider = new SimulatedProvider(stack.sandboxUrl ?? '');
  const gotBefore = (await provider.ledger()).length;
  const asked: Asked[] = [];
  for (const caller of callers) asked.push(await ask(stack.baseUrl, caller));
  return {
    ...{ dryChanged, dryWroteFile, againChanged, held, expected: expectedHoldings(estate), asked, there },
    litellmChanged: changedTables(litellmBefore, await printOf(litellmUrl)),
    atProvider: (await provider.ledger()).length - gotBefore,
    callers: move.callers,
  };
}

/** What LiteLLM made of the same callers, after its administrator made a part of the estate; null: nothing. */
async function playThere(
  { estate, litellm, litellmUrl }: Move,
  callers: readonly Caller[],
  say: Say,
): Promise<Asked[] | null> {
  if (litellm === null) return null;
  try {
    say(`LiteLLM's own API made ${await makeByApi(estate, litellm)}.`);
    const there = await askLitellm(litellm.baseUrl, callers, litellmUrl);
    const [goOn, refused] = [there.filter(({ text }) => text !== null), there.filter(({ text }) => text === null)];
    say(`LiteLLM answered ${goOn.length} of them, and refused ${refused.length}.`);
    return there;
  } finally {
    await litellm.stop();
  }
}

/** Catalog has read the file when the edge lists its models. @throws Error when that takes too long */
async function untilListed(baseUrl: string, apiKey: string, models: readonly string[]): Promise<void> {
  const giveUpAt = Date.now() + listedWithinMs;
  let missing: readonly string[] = models;
  while (missing.length > 0) {
    const answer = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    const listed = await answer.text();
    missing = models.filter((name) => !listed.includes(JSON.stringify(name)));
    if (missing.length > 0 && Date.now() > giveUpAt)
      throw new Error(`${missing.length} of ${models.length} models are not listed: ${missing.slice(0, 5).join(', ')}`);
    await delay(200);
  }
}

function tell(what: string, { exitCode, result, error, tookMs, peakMib }: ImportRun, say: Say): void {
  const made = result?.made ? `, made ${JSON.stringify(result.made)}` : '';
  const how = exitCode === 0 ? `ended well${made}` : `ended with ${exitCode}: ${error.trim().slice(0, 300)}`;
  say(`${what}: ${(tookMs / 1_000).toFixed(1)} s, at most ${peakMib ?? '?'} MiB, ${how}`);
}

/**
 * The estate with what LiteLLM's tables hold of spending by now, by SQL: its callers went on to spend after
 * they were filled.
 */
async function asItStands(estate: Estate, litellmUrl: string): Promise<Estate> {
  const spentOf = async (table: string, id: string): Promise<Map<string, bigint>> => {
    const rows = await rowsOf<{ id: string; spend: number }>(
      litellmUrl,
      `SELECT ${id} AS id, spend FROM "LiteLLM_${table}"`,
    );
    return new Map(rows.map((row) => [row.id, nano(row.spend)]));
  };
  const [teams, users] = [await spentOf('TeamTable', 'team_id'), await spentOf('UserTable', 'user_id')];
  const keys = new Map(
    (
      await rowsOf<{ token: string; spend: number; total: number; logged: number }>(
        litellmUrl,
        `SELECT token, spend, coalesce(total_spend, 0) AS total, coalesce((SELECT sum(log.spend)::float8
            FROM "LiteLLM_SpendLogs" AS log WHERE log.api_key = one.token), 0) AS logged
          FROM "LiteLLM_VerificationToken" AS one`,
      )
    ).map((row) => [row.token, { spent: nano(row.spend), total: nano(row.total), logged: nano(row.logged) }]),
  );
  return {
    ...estate,
    keys: estate.keys.map((key) => ({ ...key, ...keys.get(key.token) })),
    teams: estate.teams.map((team, index) => ({ ...team, spent: teams.get(`team-${index}`) ?? team.spent })),
    users: estate.users.map((user, index) => ({ ...user, spent: users.get(`user-${index}`) ?? user.spent })),
  };
}

function nano(usd: number): bigint {
  return BigInt(Math.round(usd * 1e9));
}
