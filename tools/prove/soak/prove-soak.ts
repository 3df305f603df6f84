import { setTimeout as delay } from 'node:timers/promises';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { Stack } from '../../stack/stack';
import { KeyRing } from './key-ring';
import type { Look, Witness } from './look';
import { SoakLoad } from './soak-load';
import type { Endings } from './soak-load';
import { coursesOf, isFlat } from './verdict';
import type { Course } from './verdict';

export interface SoakOptions {
  minutes: number;
  keys: number;
  perSecond: number;
  /** Between two looks, milliseconds. */
  everyMs: number;
  /** How often NATS is killed in all. */
  natsKills: number;
  onLook: (look: Look) => void;
  onProgress: (line: string) => void;
}

export interface Soak {
  looks: Look[];
  courses: Course[];
  requests: number;
  endings: Endings;
  natsKills: number;
  /** Services that ended and were started again; there must be none. */
  restarted: string[];
  holds: boolean;
}

/** After the last answer: usage is booked, and what was under way has let go. */
const calmMs = 4_000;

/** Plays the load, and looks at every process in the calm between two parts of it. */
export async function proveSoak(
  stack: Stack,
  witness: Witness,
  models: readonly CatalogModel[],
  options: SoakOptions,
): Promise<Soak> {
  const ring = await KeyRing.open(stack);
  try {
    return await soakWith(ring, stack, witness, models, options);
  } finally {
    await ring.close();
  }
}

async function soakWith(
  ring: KeyRing,
  stack: Stack,
  witness: Witness,
  models: readonly CatalogModel[],
  { minutes, keys, perSecond, everyMs, natsKills, onLook, onProgress }: SoakOptions,
): Promise<Soak> {
  await ring.fill(keys);
  onProgress(`${keys} keys are made.`);
  const load = new SoakLoad(stack, ring, models, perSecond);
  const before = witness.pids();
  const looks: Look[] = [];
  const startedAt = performance.now();
  const durationMs = minutes * 60_000;
  const passed = (): number => performance.now() - startedAt;
  let killed = 0;
  // Each kill has a part of the load of its own, also where there are more than fit into the time.
  while (passed() < durationMs || killed < natsKills) {
    const playing = load.play(everyMs);
    // Under load, and soon behind a look, so that all is well again at the next.
    if (passed() >= ((killed + 1) * durationMs) / (natsKills + 1)) {
      await delay(everyMs / 10);
      stack.process('nats').kill('SIGKILL');
      killed += 1;
      onProgress(`NATS was killed, the ${killed}. time.`);
    }
    await playing;
    await stack.process('nats').ready();
    await delay(calmMs);
    // Who began anew has no course, and would not say what it holds by the number of this look.
    if (restartedSince(before, witness).length > 0) break;
    const look = await witness.look(passed(), load.sent);
    looks.push(look);
    onLook(look);
  }
  const restarted = restartedSince(before, witness);
  const courses = coursesOf(looks);
  return {
    looks,
    courses,
    requests: load.sent,
    endings: load.endings,
    natsKills: killed,
    restarted,
    holds: isFlat(courses) && restarted.length === 0 && killed === natsKills,
  };
}

/** The names of those that do not run any more, or as another process. */
function restartedSince(before: ReadonlyMap<string, number>, witness: Witness): string[] {
  const now = witness.pids();
  return [...before].flatMap(([name, pid]) => (now.get(name) === pid ? [] : [name]));
}
