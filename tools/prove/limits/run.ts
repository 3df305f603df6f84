import { StackError } from '../../stack/stack-error';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkey, withValkeyPair } from '../with-stack';
import { watchBystanders } from './bystanders';
import { limitsReport } from './limits-report';
import { proveLimits } from './prove-limits';
import type { LimitsProofOptions } from './prove-limits';
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
  for (const [, scene] of chosen) held.push(await beside(scene, { seconds: Number(values.seconds), say }));
  return held.every((holds) => holds);
}

interface Playing {
  readonly seconds: number;
  readonly say: Say;
}

/** Where nothing befalls Valkey, edges reach it themselves. */
function beside(scene: Scene, playing: Playing): Promise<boolean> {
  const { edges, strike } = scene;
  if (strike) return withValkeyPair((pair) => play(scene, pair.url, { pair, strike }, playing));
  return edges > 1 ? withValkey(({ url }) => play(scene, url, null, playing)) : play(scene, null, null, playing);
}

/** Whether the proof holds on a stack with so many edges, which have the Valkey at `url` in common, if any. */
async function play(
  { edges, strike }: Scene,
  url: string | null,
  trouble: LimitsProofOptions['trouble'],
  { seconds, say }: Playing,
): Promise<boolean> {
  const title = edges === 1 ? 'One edge' : `${edges} edges`;
  say(`\n${title}${strike ? `, ${strike.title}` : ''}: starting`);
  const environment = url === null ? {} : { VALKEY_URL: url };
  return withStack({ durable: false, instances: { edge: edges }, environment }, async (stack) => {
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
