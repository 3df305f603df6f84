import type { ValkeyPair } from '@tollgate/testing';
import { StackError } from '../../stack/stack-error';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkeyPair } from '../with-stack';
import { watchBystanders } from './bystanders';
import { limitsReport } from './limits-report';
import { proveLimits } from './prove-limits';
import { restart, takeover } from '../valkey-strikes';
import type { ValkeyStrike } from '../valkey-strikes';

interface Scene {
  edges: number;
  /** What befalls the Valkey behind several edges; null: nothing. */
  strike: ValkeyStrike | null;
}

const scenes: Record<string, Scene> = {
  one: { edges: 1, strike: null },
  three: { edges: 3, strike: null },
  restarts: { edges: 3, strike: restart },
  takeovers: { edges: 3, strike: takeover },
};

/** `--scene one`, `three`, `restarts` or `takeovers` plays only that. */
export const limitsOptions = {
  seconds: { type: 'string', default: '150' },
  scene: { type: 'string', multiple: true },
} as const;

/** Holds when every scene does. */
export async function runLimits(values: ProofValues<typeof limitsOptions>, say: Say): Promise<boolean> {
  const chosen = Object.entries(scenes).filter(([name]) => values.scene?.includes(name) ?? true);
  if (chosen.length === 0) throw new StackError(`--scene is one of ${Object.keys(scenes).join(', ')}.`);
  const held: boolean[] = [];
  for (const [, scene] of chosen) {
    const playOn = (pair: ValkeyPair | null) => play(scene, pair, Number(values.seconds), say);
    held.push(await (scene.edges > 1 ? withValkeyPair(playOn) : playOn(null)));
  }
  return held.every((holds) => holds);
}

/** Whether the proof holds on a stack with so many edges, which have a Valkey in common where `pair` is one. */
async function play({ edges, strike }: Scene, pair: ValkeyPair | null, seconds: number, say: Say): Promise<boolean> {
  const title = edges === 1 ? 'One edge' : `${edges} edges`;
  say(`\n${title}${strike ? `, ${strike.title}` : ''}: starting`);
  const environment = pair ? { VALKEY_URL: pair.url } : {};
  return withStack({ durable: false, instances: { edge: edges }, environment }, async (stack) => {
    const trouble = pair && strike ? { pair, strike } : null;
    const proof = await proveLimits(stack, { limit: 60, durationMs: seconds * 1_000, trouble, onProgress: say });
    say(limitsReport(title, strike?.title ?? '', proof));
    if (!strike) {
      const { quietP99Ms, floodedP99Ms, refusals } = await watchBystanders(stack);
      const figures = `${quietP99Ms.toFixed(1)} ms, beside a flood of ${refusals} refusals ${floodedP99Ms.toFixed(1)} ms`;
      say(`  p99 of a caller without a limit: ${figures}`);
    }
    return proof.holds;
  });
}
