import { setTimeout } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { ControlError, type ServedBy } from '@tollgate/contracts';
import { neededVariables } from '@tollgate/contracts/catalog';
import { inferenceOperations, type ProviderCheck } from '@tollgate/contracts/inference';
import { Serve } from '@tollgate/messaging';
import { ModelDiscovery } from '../discovery/model-discovery';
import { Router } from '../routing/router';
import { checkProvider } from './provider-check';

/** So long a provider is left in peace between two looks, milliseconds. */
const restMs = 5_000;

/**
 * Looks at providers: one at a time at each, of whatever kind, and the next one at the earliest 5 s after the
 * last has ended. Whoever asks while one of the same kind waits is told what that one finds. So this instance
 * asks a provider seldom, however often people press a button; and nobody is told of a look that had begun
 * before he asked.
 */
export class CheckTurns {
  /** By provider and kind: those that have not begun. */
  private readonly waiting = new Map<string, Promise<ProviderCheck>>();
  /** By provider: when the next look may begin. */
  private readonly rested = new Map<string, Promise<unknown>>();

  constructor(
    private readonly wait: (ms: number) => Promise<unknown> = (ms) => setTimeout(ms, undefined, { ref: false }),
  ) {}

  take(provider: string, kind: string, look: () => Promise<ProviderCheck>): Promise<ProviderCheck> {
    const name = `${provider} ${kind}`;
    const waiting = this.waiting.get(name);
    if (waiting) return waiting;
    const turn = (this.rested.get(provider) ?? Promise.resolve()).then(() => {
      this.waiting.delete(name);
      return look();
    });
    this.waiting.set(name, turn);
    const rest = (): Promise<unknown> => this.wait(restMs);
    this.rested.set(provider, turn.then(rest, rest));
    return turn;
  }
}

type Served = ServedBy<typeof inferenceOperations>;

/**
 * Answers operators who ask whether providers can be reached, what is wrong where one cannot, and what they
 * list now.
 */
@Controller()
export class ProviderChecksController {
  private readonly turns = new CheckTurns();

  constructor(
    private readonly router: Router,
    private readonly discovery: ModelDiscovery,
  ) {}

  @Serve(inferenceOperations.checkProviders)
  async check({ provider, token }: Served['checkProviders']['request']): Promise<Served['checkProviders']['reply']> {
    return { checks: await this.checksOf(provider, token) };
  }

  @Serve(inferenceOperations.lookForModels)
  async look({ provider }: Served['lookForModels']['request']): Promise<Served['lookForModels']['reply']> {
    return { looks: await this.discovery.lookNow(provider) };
  }

  /** All at once: each is another server. */
  private checksOf(wanted: string | null, token: boolean): Promise<ProviderCheck[]> {
    const endpoints = this.router.endpoints.filter(({ provider }) => wanted === null || provider.id === wanted);
    if (wanted !== null && endpoints.length === 0) throw new ControlError('not_found', this.whyNot(wanted));
    const kind = token ? 'token' : 'models';
    const looks = endpoints.map(({ provider: { id } }) => this.turns.take(id, kind, () => this.lookAt(id, token)));
    return wanted === null ? withoutGone(looks) : Promise.all(looks);
  }

  /** As the provider is when its turn comes: its settings may be others by then. */
  private async lookAt(id: string, token: boolean): Promise<ProviderCheck> {
    const endpoint = this.router.endpoints.find(({ provider }) => provider.id === id);
    if (!endpoint) throw new ControlError('not_found', this.whyNot(id));
    return checkProvider({ endpoint, models: this.router.modelsAt(id), token });
  }

  private whyNot(wanted: string): string {
    const provider = this.router.definitionOf(wanted);
    if (!provider) return `The catalog has no provider ${wanted}.`;
    const fault = this.router.faults.get(wanted);
    if (fault !== undefined) return `Inference cannot reach ${provider.name}: ${fault}`;
    if (provider.isLive) return `Inference cannot reach ${provider.name}: its key is not there.`;
    const needed = neededVariables(provider);
    return `Inference cannot reach ${provider.name}: ${needed === null ? 'its settings do not fit' : `it needs ${needed}`}.`;
  }
}

/** Of all providers, those that were there when their turn came. */
async function withoutGone(looks: readonly Promise<ProviderCheck>[]): Promise<ProviderCheck[]> {
  const checks = await Promise.all(
    looks.map((look) =>
      look.catch((error: unknown) => {
        if (error instanceof ControlError && error.code === 'not_found') return null;
        throw error;
      }),
    ),
  );
  return checks.filter((check) => check !== null);
}
