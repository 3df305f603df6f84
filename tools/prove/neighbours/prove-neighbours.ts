import { ControlError } from '@tollgate/contracts';
import { accountsOperations, adminTokenOperations, directoryScope } from '@tollgate/contracts/accounts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { workspaceRoot } from '../../stack/workspace-root';
import { memory, mostMemory, watchedIds, within } from '../pressure/gauges';
import { Person } from '../web/person';
import type { Attack, Endings } from './attack';
import type { AttackerMeans } from './attacker';
import { AttackerProcess } from './attacker-process';
import { attacks } from './attacks';
import { workAt } from './priority';
import { StandstillWatch } from './standstills';
import { complaints, isBack } from './verdict';
import type { Bounds, MemoryCourse, Observation } from './verdict';
import { Victim } from './victim';
import { coresOf, gatewayShare, noWork, withWork, workOf } from './work';

export interface NeighboursOptions {
  /** Which kinds of attackers are played. */
  chosen: (attack: string) => boolean;
  rounds: number;
  roundMs: number;
  /** Requests of the victim a second. */
  perSecond: number;
  bounds: Bounds;
  onProgress: (line: string) => void;
  /** Hears of each kind as soon as it is judged. */
  onJudged?: (neighbour: Neighbour) => void;
}

/** One kind of attacker, and what the victim noticed of it: nothing, where `problems` is empty. */
export interface Neighbour extends Observation {
  problems: string[];
}

/**
 * What a stack needs for the proof: guardrails with patterns that can be dear, and an instance so small that
 * one caller could fill it.
 */
export const neighboursEnvironment = {
  TOLLGATE_CONFIG: join(workspaceRoot, 'tools/prove/neighbours/tollgate.yaml'),
  INFERENCE_MAX_IN_FLIGHT: '200',
  LOG_LEVEL: 'warn',
};

/** Two providers. */
const models = ['openai/gpt-5.4-mini', 'anthropic/claude-opus-4-8', 'openai/gpt-5.4'];
/** An attack lasts a little before the victim is looked at, so that it is under way. */
const leadMs = 400;
/** So long that the code is compiled, and memory stands where it stands in calm. */
const warmUpMs = 5_000;
/** Less than a round beside the attacker: nothing but calm is to be seen. */
const aloneShare = 0.75;
const severalKeys = 8;
const wellWithinMs = 40_000;
const backWithinMs = 60_000;
/** The gateway works for less than this part of a core's time where nobody asks it anything. */
const calmShare = 0.2;
const calmLookMs = 500;
const calmWithinMs = 20_000;
/**
 * What one attack left in the windows of ten seconds by which health is judged is gone before the next: two
 * accounts that fail at once are no one caller.
 */
const forgottenMs = 11_000;
/** Only such are remembered. */
const failsProviders = ({ name }: Attack): boolean => name.startsWith('provider:');
/** As others have, whose leases and logs are kept for them: none that it reaches. */
const victimLimits = { rpm: 1_000_000, quotaTokens: 1_000_000_000 };
const password = 'a password for the proof of neighbours';
const newKey = z.object({ key: z.object({ id: z.string() }) });

/** A steady caller alone and beside one attacker after the other, in turns. */
export async function proveNeighbours(stack: Stack, options: NeighboursOptions): Promise<Neighbour[]> {
  const { apiKey } = await stack.createKey({ name: 'victim', plan: 'enterprise', ...victimLimits });
  const judged = options.bounds.times !== 'never';
  const victim = new Victim(stack.baseUrl, stack.sandboxUrl ?? '', apiKey, models, options.perSecond);
  const attacker = AttackerProcess.start(judged);
  // Who asks and measures is on a machine of its own in life: it waits for no core that others have.
  const undo = judged ? workAt(constants.priority.PRIORITY_HIGH) : () => undefined;
  const neighbours: Neighbour[] = [];
  try {
    const person = await atDashboard(stack);
    await victim.learn();
    await victim.play(warmUpMs);
    const first = memory(stack);
    const chosen = apart(attacks.filter(({ name }) => options.chosen(name)));
    let rememberedUntil = -Infinity;
    const startedAt = performance.now();
    for (const [index, attack] of chosen.entries()) {
      const { name } = attack;
      if (failsProviders(attack)) await delay(Math.max(0, rememberedUntil - performance.now()));
      attacker.equip({ ...person, ...(await onceThere(() => meansOf(stack))) });
      const seen = await observe({ stack, victim, attacker, first }, attack, options);
      const problems = complaints(seen, options.bounds);
      if (failsProviders(attack)) rememberedUntil = performance.now() + forgottenMs;
      const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
      options.onProgress(
        `${problems.length === 0 ? 'unnoticed' : 'NOTICED  '}  ${name}  (${index + 1} of ${chosen.length}, ${minutes} min)`,
      );
      for (const problem of problems) options.onProgress(`             ${problem}`);
      neighbours.push({ ...seen, problems });
      options.onJudged?.({ ...seen, problems });
    }
    return neighbours;
  } finally {
    undo();
    await attacker.stop();
    await victim.stop();
  }
}

/** Those that fail providers, with the others between them: what they left is forgotten meanwhile. */
function apart(chosen: readonly Attack[]): readonly Attack[] {
  const [failing, others] = [chosen.filter(failsProviders), chosen.filter((attack) => !failsProviders(attack))];
  if (failing.length === 0) return others;
  const between = Math.ceil(others.length / failing.length);
  return failing.flatMap((attack, index) => [attack, ...others.slice(index * between, (index + 1) * between)]);
}

/** What accounts answers, as soon as it does: the attack before may have kept its database busy. */
async function onceThere<Result>(ask: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + wellWithinMs;
  for (;;)
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof ControlError && error.code === 'unavailable';
      if (!isAway || performance.now() > giveUpAt) throw error;
      await delay(1_000);
    }
}

interface Scene {
  stack: Stack;
  victim: Victim;
  attacker: AttackerProcess;
  /** The memory of each process before the first attack. */
  first: ReadonlyMap<string, number>;
}

async function observe(scene: Scene, attack: Attack, options: NeighboursOptions): Promise<Observation> {
  const { stack, victim, attacker, first } = scene;
  const { rounds, roundMs, bounds } = options;
  const seen = nothingSeen(attack);
  const besideMs = Math.max(roundMs, attack.leastMs ?? 0);
  const ids = watchedIds(stack);
  const before = memory(stack);
  let [work, workedMs] = [noWork, 0];
  const standstills = new StandstillWatch(stack, attacker.pid);
  const playAlone = async () => {
    if (bounds.times !== 'never') await calm(stack);
    await standstills.begin();
    seen.alone.push(await victim.play(aloneShare * roundMs));
    await standstills.end('aloneMs');
  };
  const most = await mostMemory(stack, async () => {
    for (let round = 0; round < rounds; round++) {
      await playAlone();
      await standstills.begin();
      const { ended } = await attacker.begin({ name: attack.name, durationMs: leadMs + besideMs });
      await delay(leadMs);
      const [begun, begunAt] = [workOf(stack, attacker.pid), performance.now()];
      seen.beside.push(await victim.play(besideMs));
      work = withWork(work, begun, workOf(stack, attacker.pid));
      workedMs += performance.now() - begunAt;
      await standstills.end('besideMs');
      addUp(seen.endings, await ended);
    }
    await playAlone();
  });
  seen.standstills = standstills.all;
  seen.gatewayShare = gatewayShare(work);
  seen.cores = coresOf(work, workedMs);
  const endedAt = performance.now();
  const isWell = await within(wellWithinMs, () => victim.isWell());
  seen.wellAfterMs = isWell ? performance.now() - endedAt : null;
  const courses = (): MemoryCourse[] =>
    [...memory(stack)].map(([process, afterBytes]) => {
      const [beforeBytes, mostBytes] = [before, most].map((bytes) => bytes.get(process) ?? afterBytes) as [
        number,
        number,
      ];
      return { process, firstBytes: first.get(process) ?? afterBytes, beforeBytes, mostBytes, afterBytes };
    });
  await within(backWithinMs, async () => Promise.resolve(courses().every((course) => isBack(course, bounds))));
  seen.memory = courses();
  seen.restarted = [...watchedIds(stack)].flatMap(([name, id]) => (ids.get(name) === id ? [] : [name]));
  return seen;
}

function nothingSeen({ name, never }: Attack): Observation {
  return {
    attack: name,
    never: never ?? null,
    endings: {},
    alone: [],
    beside: [],
    gatewayShare: 0,
    cores: coresOf(noWork, 0),
    standstills: [],
    memory: [],
    restarted: [],
    wellAfterMs: 0,
  };
}

/**
 * Resolves when the gateway has nothing left of an attack to work on, or after a while: what the victim has
 * beside that is not its own level.
 */
async function calm(stack: Stack): Promise<void> {
  const giveUpAt = performance.now() + calmWithinMs;
  for (let share = 1; share > calmShare && performance.now() < giveUpAt;) {
    const [fromMs, { gateway: fromUs }] = [performance.now(), workOf(stack)];
    await delay(calmLookMs);
    share = (workOf(stack).gateway - fromUs) / 1_000 / (performance.now() - fromMs);
  }
}

function addUp(sums: Endings, more: Endings): void {
  for (const [ending, count] of Object.entries(more)) sums[ending] = (sums[ending] ?? 0) + count;
}

/** Somebody with an account and a key of their own. */
async function atDashboard(stack: Stack): Promise<Pick<AttackerMeans, 'person' | 'keyId'>> {
  const email = 'attacker@example.org';
  const person = await Person.signUp(stack, 'Attacker', email, password, 'attack');
  await stack.call(accountsOperations.setAccountStatus, { account: email, status: 'active', plan: 'enterprise' });
  const own = newKey.parse(await person.mustPost('/api/keys', { name: 'playground' }));
  return { person: person.headers(true), keyId: own.key.id };
}

/**
 * A new account with keys of several kinds: one whose last attack closed the providers for it would reach
 * none with its next.
 */
async function meansOf(stack: Stack): Promise<Omit<AttackerMeans, 'person' | 'keyId'>> {
  const email = `attacker-${randomUUID()}@example.org`;
  const { account } = await stack.call(accountsOperations.requestAccess, { name: 'Attacker', email });
  const approval = { account: account.id, status: 'active' as const, plan: 'enterprise' };
  await stack.call(accountsOperations.setAccountStatus, approval);
  const key = async (
    name: string,
    limits: { rpm?: number; quotaTokens?: number; cacheTtlS?: number } = {},
  ): Promise<string> => {
    const bounds = { rpm: null, quotaTokens: null, ...limits };
    return (await stack.createKey({ name, plan: 'enterprise', accountId: account.id, ...bounds })).apiKey;
  };
  const { available, models: known } = await stack.call(catalogOperations.snapshot, {});
  const offered = known.filter(({ id }) => available.includes(id));
  const directory = {
    name: 'directory',
    scopes: [directoryScope] as [typeof directoryScope],
    account: email,
    expiresAt: null,
    actor: 'proof',
  };
  return {
    baseUrl: stack.baseUrl,
    directoryToken: (await stack.call(adminTokenOperations.create, directory)).token,
    models,
    allModels: offered.filter(({ kind }) => kind === 'generation').map(({ id }) => id),
    embeddingModel: offered.find(({ kind }) => kind === 'embedding')?.id ?? '',
    keys: {
      open: await key('open'),
      several: await Promise.all(Array.from({ length: severalKeys }, (_, index) => key(`open ${index}`))),
      limited: await key('limited', { rpm: 60 }),
      spent: await key('spent', { quotaTokens: 1_000 }),
      cached: await key('cached', { cacheTtlS: 600 }),
    },
  };
}
