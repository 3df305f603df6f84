import type { ValkeyServer } from '@tollgate/testing';
import { StackError } from '../../stack/stack-error';
import type { ProofValues, Say } from '../proof';
import { withStack, withValkey } from '../with-stack';
import { watchBystanders } from './bystanders';
import { limitsReport } from './limits-report';
import { proveLimits } from './prove-limits';

/** How many edges, and whether the Valkey behind several is killed. */
const scenes = { one: [1, false], three: [3, false], restarts: [3, true] } as const;

/** `--scene one`, `three` or `restarts` plays only that. */
export const limitsOptions = {
  seconds: { type: 'string', default: '150' },
  scene: { type: 'string', multiple: true },
} as const;

/** Holds when every scene does. */
export async function runLimits(values: ProofValues<typeof limitsOptions>, say: Say): Promise<boolean> {
  const chosen = Object.entries(scenes).filter(([name]) => values.scene?.includes(name) ?? true);
  if (chosen.length === 0) throw new StackError(`--scene is one of ${Object.keys(scenes).join(', ')}.`);
  const held: boolean[] = [];
  for (const [, [edges, restarts]] of chosen) {
    const scene = new Scene(edges, restarts, Number(values.seconds), say);
    held.push(await (edges > 1 ? withValkey((valkey) => scene.play(valkey)) : scene.play(null)));
  }
  return held.every((holds) => holds);
}

/** A stack with so many edges, with a Valkey (which may be killed) where there are several. */
class Scene {
  constructor(
    private readonly edges: number,
    private readonly restarts: boolean,
    private readonly seconds: number,
    private readonly say: Say,
  ) {}

  /** Whether its proof holds. */
  async play(valkey: ValkeyServer | null): Promise<boolean> {
    const { edges, restarts, say } = this;
    const title = `${edges === 1 ? 'One edge' : `${edges} edges`}${restarts ? ', Valkey restarts' : ''}`;
    say(`\n${title}: starting`);
    const environment = valkey ? { VALKEY_URL: valkey.url } : {};
    return withStack({ durable: false, instances: { edge: edges }, environment }, async (stack) => {
      const victim = restarts ? valkey : null;
      const options = { limit: 60, durationMs: this.seconds * 1_000, victim, onProgress: say };
      const proof = await proveLimits(stack, options);
      say(limitsReport(title, proof));
      if (!restarts) {
        const { quietP99Ms, floodedP99Ms, refusals } = await watchBystanders(stack);
        const figures = `${quietP99Ms.toFixed(1)} ms, beside a flood of ${refusals} refusals ${floodedP99Ms.toFixed(1)} ms`;
        say(`  p99 of a caller without a limit: ${figures}`);
      }
      return proof.holds;
    });
  }
}
