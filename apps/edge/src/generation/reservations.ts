import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import { isModelAllowed } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { Admission, nothingReserved, usesNothingCounted, type Reserved } from '../admission/admission';
import type { ExceededBudget } from '../admission/leases/budget-refusals';
import { BudgetReservations, storedAfterMs } from '../admission/leases/budget-reservations';
import type { Spending } from '../admission/leases/budget-reservations';
import { dueBudgets, type DueBudget } from '../admission/leases/budget-lease';
import { QuotaReservations } from '../admission/leases/quota-reservations';
import type { Reservation } from '../admission/leases/quota-reservations';
import type { Rated } from '../admission/request-rates';
import { RequestRates } from '../admission/request-rates';
import { ModelCatalog } from '../catalog/model-catalog';
import { Clock } from '../clock';
import type { RequestContext } from '../http/request-context';
import { Settings } from '../settings';
import { inputOfBoth, sizeOfBoth } from './continuation-wish';
import { costBound, toolUses } from './cost-bound';
import { countedInWords, holdsSeen } from './media-in-words';
import { ownKeysFor } from './own-keys';
import { modelWithin, warnOfExceeded } from './exceeded-budgets';
import { sizeOf } from './request-size';
import type { RequestSize } from './request-size';
import type { Served } from './served-request';

/** What is set aside for a request, the model that it is for, and whose keys it goes with. */
type Granted = Pick<Served, 'goesOn' | 'model' | 'ownKeys'> & { readonly reservation: Reserved };

/** What is set aside, with the soft budgets that have too little left. */
type Held = Reserved & Pick<Spending, 'exceeded'> & Pick<Rated, 'giveBack'>;

/** Sets aside what requests may use, before anybody is asked for an answer. */
@Injectable()
export class Reservations {
  constructor(
    private readonly rates: RequestRates,
    private readonly quotas: QuotaReservations,
    private readonly budgets: BudgetReservations,
    private readonly catalog: ModelCatalog,
    private readonly admission: Admission,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /**
   * Nothing is set aside for a key of which nothing is counted, and which goes with the operator's
   * keys. For all others: sets an upper bound of the request's tokens aside, and of its cost where the
   * key has budgets. Without a limit of the caller's, its output is bounded by an assumption. What may
   * go on at another place takes twice as much; it may not where there is not so much. Of a soft budget
   * that is used up the caller is told, and the request is one for the model that the budget names for
   * that.
   * @throws GatewayError as RequestRates, QuotaReservations and BudgetReservations do; 403 where there is a
   * budget, and no price to keep it by; what keeps that model from serving the request.
   */
  reserve(asked: Served, context: RequestContext): Granted | Promise<Granted> {
    const { goesOn, model, admitted } = asked;
    const { key } = admitted.caller;
    if (usesNothingCounted(key) && !key.ownKeys) return { reservation: nothingReserved, goesOn, model, ownKeys: null };
    return this.setAside(asked, context);
  }

  /**
   * The same for a request that goes on without keys of its account, whichever model serves it, and whatever
   * is counted of its key. It was let in before, and stays counted among the requests of a minute. What its
   * try with them held of a budget in tokens may be all that is missing: that is waited for, once.
   * @throws GatewayError as `reserve` does.
   */
  withoutOwnKeys(asked: Served, context: RequestContext): Promise<Granted> {
    const again = { ...asked, countedFor: asked.model.id };
    return this.setAside(again, context, () => this.onceStored(() => this.withinSoft(again, () => null)));
  }

  /** Tries once more where all that is missing is held for what is stored in a moment. */
  private async onceStored<Result>(reserve: () => Promise<Result>): Promise<Result> {
    try {
      return await reserve();
    } catch (error) {
      if (!(error instanceof GatewayError) || error.limit?.reason !== 'budget_reserved') throw error;
      const waitMs = (error.retryAfterS ?? Infinity) * 1_000;
      if (waitMs > storedAfterMs) throw error;
      await this.clock.sleep(waitMs);
      return reserve();
    }
  }

  private async setAside(
    asked: Served,
    context: RequestContext,
    reserve = () => this.withinSoft(asked, (model) => this.ownKeysOf({ admitted: asked.admitted, model })),
  ): Promise<Granted> {
    const { admitted } = asked;
    try {
      const { granted, exceeded } = await reserve();
      if (exceeded.length > 0)
        warnOfExceeded(exceeded, granted.model === asked.model ? null : granted.model.id, context);
      return granted;
    } catch (error) {
      if (error instanceof GatewayError && error.status === 429) {
        const { limit = 'tokens' } = error.limit ?? {};
        const { caller, requests } = admitted;
        // Who went to a provider before keeps the unit that it took.
        const refused = asked.countedFor === undefined ? admitted : { caller, requests: { ...requests, unit: null } };
        this.admission.refusedBy(limit === 'rpm' ? 'requests' : limit, refused, context, asked.model.id);
      }
      throw error;
    }
  }

  /** Of a request that generates nothing. */
  nothingFor({ admitted, model }: Served): Granted {
    return { reservation: nothingReserved, goesOn: false, model, ownKeys: this.ownKeysOf({ admitted, model }) };
  }

  /** With which keys of its account a request goes; null: with the operator's. */
  private ownKeysOf({ admitted, model }: Pick<Served, 'admitted' | 'model'>): Served['ownKeys'] {
    const { key } = admitted.caller;
    return ownKeysFor(key, () => this.catalog.placesOf(model, key.ownKeys));
  }

  /**
   * Goes from model to model while one meets a soft budget that is used up and names another, which may have
   * such budgets of its own. `exceeded`: all of them.
   */
  private async withinSoft(
    asked: Served,
    ownKeysOf: (model: CatalogModel) => Served['ownKeys'],
  ): Promise<{ granted: Granted; exceeded: ExceededBudget[] }> {
    const exceeded = new Map<string, ExceededBudget>();
    const tried = new Set<string>();
    for (let { model } = asked; ;) {
      tried.add(model.id);
      const ownKeys = ownKeysOf(model);
      const isAsAsked = model === asked.model && !ownKeys;
      const { reservation, goesOn } = await this.reserved(isAsAsked ? asked : { ...asked, model, ownKeys });
      for (const budget of reservation.exceeded) exceeded.set(budget.id, budget);
      const instead = this.modelWithin(reservation.exceeded, asked, tried, reservation);
      if (!instead) return { granted: { reservation, goesOn, model, ownKeys }, exceeded: [...exceeded.values()] };
      // What is held is the bound of another model's cost.
      reservation.giveBack();
      model = instead;
    }
  }

  /** What is held is free again where no model may serve it. @throws as `modelWithin`. */
  private modelWithin(
    exceeded: readonly ExceededBudget[],
    asked: Served,
    tried: ReadonlySet<string>,
    held: Held,
  ): CatalogModel | null {
    try {
      return modelWithin(exceeded, asked, tried, this.catalog);
    } catch (error) {
      held.giveBack();
      throw error;
    }
  }

  private async reserved(served: Served): Promise<{ reservation: Held; goesOn: boolean }> {
    const { admitted, sent, model, body } = served;
    const { key } = admitted.caller;
    const { defaultOutputReserve: defaultOutput } = this.settings;
    const read = countedInWords(sent.read, this.placesOf(served));
    const size = sizeOf({ read, body, model, defaultOutput, key });
    const both = served.goesOn ? await this.reservedBoth(served, size) : null;
    if (both) return { reservation: both, goesOn: true };
    return { reservation: await this.withinLimits(served, size, size.input + size.output), goesOn: false };
  }

  /** Null: there is not so much left. */
  private async reservedBoth(served: Served, size: RequestSize): Promise<Held | null> {
    try {
      return await this.withinLimits(served, { ...size, input: inputOfBoth(size) }, sizeOfBoth(size), true);
    } catch (error) {
      const isTooMuch = error instanceof GatewayError && (error.status === 429 || error.status === 503);
      if (isTooMuch || (error instanceof GatewayError && error.details?.reason === 'budget_exceeded')) return null;
      throw error;
    }
  }

  /**
   * Sets so many tokens aside of all limits that count them, and the most that they cost. `isTrial`: less is
   * tried where that is too much.
   */
  private async withinLimits(served: Served, size: RequestSize, tokens: number, isTrial = false): Promise<Held> {
    const { key } = served.admitted.caller;
    const taken = this.rates.take(key, served.model.id, tokens, served.countedFor === served.model.id);
    const rated = taken instanceof Promise ? await taken : taken;
    try {
      const quota = await this.quotas.reserve(key, tokens);
      const held = await this.withBudgets(served, size, { tokens, isTrial }, quota);
      const settle: Held['settle'] = (used, charge) => {
        rated.settle(used);
        held.settle(used, charge);
      };
      const giveBack = () => {
        held.settle(0, 'none');
        rated.giveBack();
      };
      return { ...held, settle, giveBack };
    } catch (error) {
      rated.giveBack();
      throw error;
    }
  }

  /** Adds what budgets count to the quota of a request, which is free again where one refuses it. */
  private async withBudgets(
    served: Served,
    size: RequestSize,
    { tokens, isTrial }: { tokens: number; isTrial: boolean },
    quota: Reservation,
  ): Promise<Omit<Held, 'giveBack'>> {
    const { leaseId, tokens: ofQuota } = quota;
    try {
      const { budgets, usd } = this.keepable(served, size);
      const settle: Reservation['settle'] = (used) => quota.settle(used);
      if (budgets.length === 0) return { leaseId, tokens: ofQuota, holds: [], exceeded: [], settle };
      const spending = await this.budgets.reserve(budgets, { usd, tokens: BigInt(tokens) }, isTrial);
      return {
        leaseId,
        tokens: ofQuota,
        holds: spending.holds,
        exceeded: spending.exceeded,
        settle: (used, charge) => {
          quota.settle(used);
          spending.settle(charge);
        },
      };
    } catch (error) {
      quota.settle(0);
      throw error;
    }
  }

  /** Those to which the cost of a request may count, whichever of the model and its fallbacks answers. */
  private budgetsOf({ model, admitted, attribution, ownKeys }: Served): readonly DueBudget[] {
    const budgets = dueBudgets(admitted.caller.key.budgets, attribution);
    if (budgets.every(({ models }) => models.length === 0)) return budgets;
    const places = this.placesOf({ model, ownKeys });
    return budgets.filter(({ models }) => places.some(({ id }) => isModelAllowed(models, id)));
  }

  private placesOf({ model, ownKeys }: Pick<Served, 'model' | 'ownKeys'>): readonly CatalogModel[] {
    return this.catalog.placesOf(model, ownKeys ?? undefined);
  }

  /**
   * The budgets of a request that it can be kept within, and the most that it costs: without those in dollars
   * where that is not known, which are soft then, and where its account pays its provider itself.
   */
  private keepable(served: Served, size: RequestSize): { budgets: readonly DueBudget[]; usd: bigint } {
    const budgets = this.budgetsOf(served);
    const inDollars = budgets.filter(({ unit }) => unit === 'usd');
    if (inDollars.length === 0) return { budgets, usd: 0n };
    // It costs nothing here, whatever is left of them.
    if (served.ownKeys) return { budgets: budgets.filter(({ unit }) => unit !== 'usd'), usd: 0n };
    const { sent, model } = served;
    const places = this.catalog.placesOf(model);
    const hasMedia = holdsSeen(sent.read, places);
    const usd = costBound(places, { ...size, ...toolUses(sent), hasMedia });
    if (usd !== null) return { budgets, usd };
    const hard = inDollars.filter(({ soft }) => !soft);
    if (hard.length === 0) return { budgets: budgets.filter(({ unit }) => unit !== 'usd'), usd: 0n };
    const names = hard.map(({ name }) => JSON.stringify(name)).join(', ');
    throw new GatewayError(
      403,
      `The price of the model ${JSON.stringify(model.id)}, or of one of its fallbacks, is not known, so that this API key may not use it within its budget ${names}.`,
    );
  }
}
