import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import {
  invoiceOperations,
  type BilledDay,
  type BilledLine,
  type KeptAnswer,
  type UsedMinute,
} from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { Router } from '../routing/router';
import { InferenceSettings } from '../settings';
import { providerEndpoint, type ProviderEndpoint } from '../upstream/provider-endpoint';
import { readAnthropicBill } from './anthropic-bill';
import { readOpenaiBill } from './openai-bill';
import { readOpenrouterBill } from './openrouter-bill';
import { BillProblem } from './read-pages';
import type { ToldBill } from './told-bill';

const importOne = 'Import its invoice: tollgate invoices import.';

/** Why no bill can be read of one provider (null: of any) of those that can be reached, and what helps. */
export function noBill(
  reachable: readonly Pick<ProviderDefinition, 'id' | 'name' | 'bills'>[],
  wanted: string | null,
): string {
  const asked = reachable.filter(({ id }) => wanted === null || id === wanted);
  const keys = asked.flatMap(({ name, bills }) => (bills ? [`${name} (${bills.keyEnv.join(' or ')})`] : []));
  if (keys.length > 0)
    return `No bill can be read, as inference has no key that may: set the one of ${keys.join(', ')}, or import an invoice: tollgate invoices import.`;
  if (wanted === null)
    return 'None of the providers with a key tells its bills. Import an invoice: tollgate invoices import.';
  const name = asked[0]?.name;
  if (name === undefined) return `No provider with a key is called ${wanted}. ${importOne}`;
  return `${name} does not tell its bills. ${importOne}`;
}

/**
 * How often metering is asked which bills it wants: a bill is of yesterday at the earliest. The first time
 * comes when the providers are known.
 */
const everyMs = 300_000;
const turnMs = 15_000;
const storeTimeoutMs = 20_000;
/** Steps in which a bill is handed over: far below what one message of NATS may hold. */
const step = { lines: 1_000, minutes: 2_500 };

type Outcome = Pick<BilledDay, 'provider'> & { problem: string | null };
type ReadBill = { problem: string; bill?: undefined } | { problem: null; bill: ToldBill };

/**
 * Reads what providers bill, with the keys that only this service has, and hands it to metering, which says
 * what it wants.
 */
@Injectable()
export class ProviderBills implements OnModuleDestroy {
  /** When metering is asked next, of a clock that never goes back, milliseconds. */
  private nextAt = 0;
  private isLeaving = false;
  private leave: () => void = () => undefined;
  private readonly left = new Promise<void>((resolve) => (this.leave = resolve));

  constructor(
    private readonly control: ControlClient,
    private readonly router: Router,
    private readonly settings: InferenceSettings,
    @Inject(LOGGER) private readonly logger: Logger,
    work: PeriodicWork,
  ) {
    work.add({ name: 'bills of providers', everyMs: turnMs, run: () => Promise.race([this.readDue(), this.left]) });
  }

  /** What is being read then is not handed over: metering wants it again. */
  onModuleDestroy(): void {
    this.isLeaving = true;
    this.leave();
  }

  private async readDue(): Promise<void> {
    const now = performance.now();
    if (!this.router.knowsCatalog || now < this.nextAt) return;
    this.nextAt = now + everyMs;
    await this.readWanted();
  }

  private async readWanted(): Promise<void> {
    try {
      // The books of a simulated provider end with its process: a bill of its yesterday says nothing.
      const billing = this.billing().filter(({ simulated }) => !simulated);
      if (billing.length === 0) return;
      const providers = billing.map(({ provider }) => provider.id);
      const { days } = await this.control.call(invoiceOperations.wanted, { providers });
      for (const { provider, day } of days) {
        const endpoint = billing.find((each) => each.provider.id === provider);
        if (endpoint && !this.isLeaving) await this.hand(endpoint, day);
      }
    } catch (error) {
      if (this.isLeaving) return;
      this.logger.warn({ err: error }, 'the bills of providers were not read; they are in the next turn');
    }
  }

  /**
   * Reads the bills of a day from one provider (null: all) now.
   * @throws ControlError `not_found` where none can be read.
   */
  readNow(day: string, wanted: string | null): Promise<Outcome[]> {
    const asked = this.billing().filter(({ provider }) => wanted === null || provider.id === wanted);
    if (asked.length === 0) {
      const known = this.router.endpoints.map(({ provider }) => provider);
      throw new ControlError('not_found', noBill(known, wanted));
    }
    return Promise.all(asked.map((endpoint) => this.hand(endpoint, day)));
  }

  /**
   * Where costs are asked for, with the key for that, which no other request carries. A simulated provider
   * needs none.
   */
  private billing(): ProviderEndpoint[] {
    return this.router.endpoints.flatMap((endpoint) => {
      const { provider, simulated, origin, basePath } = endpoint;
      if (!provider.bills) return [];
      if (simulated) return [endpoint];
      const [key] = this.settings.secrets.keys(provider.bills.keyEnv);
      return key === undefined ? [] : [providerEndpoint(provider, origin + basePath, { kind: 'key', key })];
    });
  }

  /**
   * Reads one bill and hands it over, or that it could not be read.
   * @throws ControlError where metering does not take it.
   */
  private async hand(endpoint: ProviderEndpoint, day: string): Promise<Outcome> {
    const provider = endpoint.provider.id;
    const { problem, bill } = await this.read(endpoint, day);
    if (problem !== null) {
      this.logger.warn({ provider, day, problem }, 'a bill could not be read');
      await this.store({ provider, day }, { problem });
      return { provider, problem };
    }
    const { lines, minutes } = this.named(provider, bill);
    const steps = Math.max(1, Math.ceil(lines.length / step.lines), Math.ceil(minutes.length / step.minutes));
    const reading = randomUUID();
    for (let at = 0; at < steps; at++) {
      const taken = await this.store(
        { provider, day },
        {
          reading,
          add: at > 0,
          lines: lines.slice(at * step.lines, (at + 1) * step.lines),
          minutes: minutes.slice(at * step.minutes, (at + 1) * step.minutes),
        },
      );
      // Another instance reads the same day, and its reading is the one that is kept.
      if (!taken) break;
    }
    return { provider, problem: null };
  }

  private async read(endpoint: ProviderEndpoint, day: string): Promise<ReadBill> {
    const fromS = Date.parse(`${day}T00:00:00Z`) / 1_000;
    try {
      switch (endpoint.provider.bills?.form) {
        case undefined:
          throw new BillProblem('it tells no costs');
        case 'openai':
          return { problem: null, bill: await readOpenaiBill(endpoint, fromS) };
        case 'anthropic':
          return { problem: null, bill: await readAnthropicBill(endpoint, fromS) };
        case 'openrouter':
          return { problem: null, bill: await readOpenrouterBill(endpoint, this.answers(endpoint, day)) };
      }
    } catch (error) {
      // A RangeError: an amount that is no number.
      if (error instanceof BillProblem || error instanceof RangeError)
        return { problem: error.message.slice(0, 1_000) };
      throw error;
    }
  }

  /** The answers of a day that metering knows by the provider's ids, step by step. */
  private async *answers({ provider }: ProviderEndpoint, day: string): AsyncGenerator<readonly KeptAnswer[]> {
    let after: string | null = null;
    do {
      const step: { answers: KeptAnswer[]; next: string | null } = await this.control.call(invoiceOperations.answers, {
        provider: provider.id,
        day,
        after,
      });
      yield step.answers;
      after = step.next;
    } while (after !== null);
  }

  private async store(
    day: BilledDay,
    told: { problem?: string; reading?: string; add?: boolean; lines?: BilledLine[]; minutes?: UsedMinute[] },
  ): Promise<boolean> {
    const bill = { ...day, source: 'api', ...told };
    const { taken } = await this.control.call(invoiceOperations.store, bill, { timeoutMs: storeTimeoutMs });
    return taken;
  }

  /** Models by their public ids, and how much of each line was used where the minutes tell it. */
  private named(provider: string, bill: ToldBill): { lines: BilledLine[]; minutes: UsedMinute[] } {
    const name = (model: string): string => (model === '' ? '' : this.router.modelNamed(provider, model));
    const used = new Map<string, number>();
    const minutes = new Map<string, UsedMinute>();
    for (const { model, at, uses } of bill.minutes) {
      const { output = 0, ...inputs } = uses;
      for (const [kind, count] of Object.entries(uses)) {
        const place = `${name(model)}\n${kind}`;
        used.set(place, (used.get(place) ?? 0) + count);
      }
      const key = `${name(model)}\n${at}`;
      const sum = minutes.get(key) ?? { model: name(model), at, input: 0, output: 0 };
      const input = Object.values(inputs).reduce((total, count) => total + count, 0);
      minutes.set(key, { ...sum, input: sum.input + input, output: sum.output + output });
    }
    const lines = new Map<string, BilledLine>();
    for (const { model: told, kind, picoUsd, eventId: requestId = null } of bill.lines) {
      const model = requestId === null ? name(told) : told;
      const place = `${model}\n${kind}`;
      const line = `${place}\n${requestId ?? ''}`;
      const sum = BigInt(lines.get(line)?.picoUsd ?? 0) + picoUsd;
      const quantity = used.get(place) ?? null;
      lines.set(line, { model, kind, picoUsd: sum.toString(), quantity, requestId });
    }
    return { lines: [...lines.values()], minutes: [...minutes.values()] };
  }
}
