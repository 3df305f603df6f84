import { Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import { Admission } from '../admission/admission';
import { BudgetReservations } from '../admission/leases/budget-reservations';
import { QuotaReservations } from '../admission/leases/quota-reservations';
import type { Reservation } from '../admission/leases/quota-reservations';
import type { Reserved } from '../admission/reserved';
import { ModelCatalog } from '../catalog/model-catalog';
import type { RequestContext } from '../http/request-context';
import { Settings } from '../settings';
import { inputOfBoth, sizeOfBoth } from './continuation-wish';
import { costBound } from './cost-bound';
import { sizeOf } from './request-size';
import type { RequestSize } from './request-size';
import type { Served } from './served-request';
import { toolUses } from './tool-uses';

/** Sets aside what requests may use, before anybody is asked for an answer. */
@Injectable()
export class Reservations {
  constructor(
    private readonly quotas: QuotaReservations,
    private readonly budgets: BudgetReservations,
    private readonly catalog: ModelCatalog,
    private readonly admission: Admission,
    private readonly settings: Settings,
  ) {}

  /**
   * Sets an upper bound of the request's tokens aside, and of its cost where the key has budgets. Without a
   * limit of the caller's, its output is bounded by an assumption. What may go on at another place takes
   * twice as much; it may not where there is not so much.
   * @throws GatewayError as QuotaReservations and BudgetReservations do; 403 where there is a budget, and no
   * price to keep it by.
   */
  async reserve(served: Served, context: RequestContext): Promise<Pick<Served, 'goesOn'> & { reservation: Reserved }> {
    const { admitted, sent, model, body } = served;
    const { key } = admitted.caller;
    const { defaultOutputReserve: defaultOutput } = this.settings;
    const size = sizeOf({ read: sent.read, body, model, defaultOutput, quotaTokens: key.quotaTokens });
    try {
      const both = served.goesOn ? await this.reservedBoth(served, size) : null;
      if (both) return { reservation: both, goesOn: true };
      const tokens = await this.quotas.reserve(key, size.input + size.output);
      return { reservation: await this.withBudgets(served, size, tokens), goesOn: false };
    } catch (error) {
      if (error instanceof GatewayError && error.status === 429)
        this.admission.refusedBy(error.limit?.limit === 'budget' ? 'budget' : 'tokens', admitted, context);
      throw error;
    }
  }

  /** Null: there is not so much left. */
  private async reservedBoth(served: Served, size: RequestSize): Promise<Reserved | null> {
    const { key } = served.admitted.caller;
    try {
      const tokens = await this.quotas.reserve(key, sizeOfBoth(size));
      return await this.withBudgets(served, { ...size, input: inputOfBoth(size) }, tokens);
    } catch (error) {
      if (error instanceof GatewayError && (error.status === 429 || error.details?.reason === 'budget_exceeded'))
        return null;
      throw error;
    }
  }

  /** Adds money to the tokens of a request, which are free again where a budget refuses it. */
  private async withBudgets(served: Served, size: RequestSize, tokens: Reservation): Promise<Reserved> {
    const { leaseId } = tokens;
    const { budgets } = served.admitted.caller.key;
    if (budgets.length === 0)
      return { leaseId, tokens: tokens.tokens, holds: [], settle: (used) => tokens.settle(used) };
    try {
      const spending = await this.budgets.reserve(budgets, this.mostCost(served, size));
      return {
        leaseId,
        tokens: tokens.tokens,
        holds: spending.holds,
        settle: (used, charge) => {
          tokens.settle(used);
          spending.settle(charge);
        },
      };
    } catch (error) {
      tokens.settle(0);
      throw error;
    }
  }

  private mostCost({ sent, model, admitted }: Served, size: RequestSize): bigint {
    const hasMedia = sent.read.mediaTokens > 0;
    const most = costBound(this.catalog.placesOf(model), { ...size, ...toolUses(sent), hasMedia });
    if (most !== null) return most;
    const names = admitted.caller.key.budgets.map(({ name }) => JSON.stringify(name)).join(', ');
    throw new GatewayError(
      403,
      `The price of the model ${JSON.stringify(model.id)}, or of one of its fallbacks, is not known, so that this API key may not use it within its budget ${names}.`,
    );
  }
}
