import { accountsOperations, catalogOperations } from '@tollgate/contracts';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { workspaceRoot } from '../../stack/workspace-root';
import { memoryPeak, within } from '../pressure/gauges';
import { Person } from '../web/person';
import type { Endings } from './attack';
import type { AttackerMeans } from './attacker';
import { AttackerProcess } from './attacker-process';
import { attacks } from './attacks';
import { complaints } from './verdict';
import type { Bounds, Observation } from './verdict';
import { Victim } from './victim';

export interface NeighboursOptions {
  /** Which kinds of attackers are played. */
  chosen: (attack: string) => boolean;
  rounds: number;
  roundMs: number;
  bounds: Bounds;
  onProgress: (line: string) => void;
}

/** One kind of attacker, and what the victim noticed of it: nothing, where `problems` is empty. */
export interface Neighbour extends Observation {
  problems: string[];
}

/** What a stack needs for the proof: guardrails with patterns that can be dear. */
export const neighboursEnvironment = {
  TOLLGATE_CONFIG: join(workspaceRoot, 'tools/prove/neighbours/tollgate.yaml'),
  LOG_LEVEL: 'warn',
};

/** Two providers. */
const models = ['openai/gpt-5.4-mini', 'anthropic/claude-opus-4-8', 'openai/gpt-5.4'];
const perSecond = 20;
/** An attack lasts a little before the victim is looked at, so that it is under way. */
const leadMs = 400;
const wellWithinMs = 40_000;
const password = 'a password for the proof of neighbours';
const newKey = z.object({ key: z.object({ id: z.string() }) });

/** A steady caller alone and beside one attacker after the other, in turns. */
export async function proveNeighbours(stack: Stack, options: NeighboursOptions): Promise<Neighbour[]> {
  const { apiKey } = await stack.createKey({ name: 'victim', plan: 'enterprise', rpm: null, quotaTokens: null });
  const victim = new Victim(stack.baseUrl, stack.sandboxUrl ?? '', apiKey, models, perSecond);
  const attacker = AttackerProcess.start(await meansOf(stack));
  const neighbours: Neighbour[] = [];
  try {
    await victim.learn();
    await victim.play(1_000);
    for (const { name } of attacks.filter((attack) => options.chosen(attack.name))) {
      const seen = await observe(stack, victim, attacker, name, options);
      const problems = complaints(seen, options.bounds);
      options.onProgress(`${problems.length === 0 ? 'unnoticed' : 'NOTICED  '}  ${name}`);
      for (const problem of problems) options.onProgress(`             ${problem}`);
      neighbours.push({ ...seen, problems });
    }
    return neighbours;
  } finally {
    await attacker.stop();
    await victim.stop();
  }
}

async function observe(
  stack: Stack,
  victim: Victim,
  attacker: AttackerProcess,
  attack: string,
  { rounds, roundMs }: NeighboursOptions,
): Promise<Observation> {
  const seen: Observation = { attack, endings: {}, quiet: [], beside: [], memoryBytes: 0, wellAfterMs: 0 };
  seen.memoryBytes = await memoryPeak(stack, async () => {
    for (let round = 0; round < rounds; round++) {
      const { ended } = await attacker.begin({ name: attack, durationMs: leadMs + roundMs });
      await delay(leadMs);
      seen.beside.push(await victim.play(roundMs));
      addUp(seen.endings, await ended);
      seen.quiet.push(await victim.play(roundMs));
    }
    const endedAt = performance.now();
    const isWell = await within(wellWithinMs, () => victim.isWell());
    seen.wellAfterMs = isWell ? performance.now() - endedAt : null;
  });
  return seen;
}

function addUp(sums: Endings, more: Endings): void {
  for (const [ending, count] of Object.entries(more)) sums[ending] = (sums[ending] ?? 0) + count;
}

/** An account of its own, with keys of several kinds. */
async function meansOf(stack: Stack): Promise<AttackerMeans> {
  const email = 'attacker@example.org';
  const person = await Person.signUp(stack, 'Attacker', email, password, 'attack');
  const approval = { account: email, status: 'active' as const, plan: 'enterprise' };
  const { account } = await stack.call(accountsOperations.setAccountStatus, approval);
  const own = newKey.parse(await person.mustPost('/api/keys', { name: 'playground' }));
  const key = async (name: string, limits: { rpm: number | null; quotaTokens: number | null; cacheTtlS?: number }) => {
    return (await stack.createKey({ name, plan: 'enterprise', accountId: account.id, ...limits })).apiKey;
  };
  const { available, models: known } = await stack.call(catalogOperations.snapshot, {});
  const offered = known.filter(({ id }) => available.includes(id));
  return {
    baseUrl: stack.baseUrl,
    models,
    allModels: offered.filter(({ kind }) => kind === 'generation').map(({ id }) => id),
    embeddingModel: offered.find(({ kind }) => kind === 'embedding')?.id ?? '',
    keys: {
      open: await key('open', { rpm: null, quotaTokens: null }),
      limited: await key('limited', { rpm: 60, quotaTokens: null }),
      spent: await key('spent', { rpm: null, quotaTokens: 1_000 }),
      cached: await key('cached', { rpm: null, quotaTokens: null, cacheTtlS: 600 }),
    },
    keyId: own.key.id,
    person: person.headers(true),
  };
}
