import { Inject, Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { catalogOperations } from '@tollgate/contracts/catalog';
import type { DeploymentHold } from '@tollgate/contracts/inference';
import type { Database } from '@tollgate/database';
import type { z } from 'zod';
import { DATABASE } from '../settings';
import { LiveCatalog } from '../live-catalog';

type Asked = z.output<typeof catalogOperations.holdDeployment.request>;

/** Closes, drains and opens deployments, for operators. */
@Injectable()
export class DeploymentHolds {
  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database<'catalog'>, 'heldDeployment'>,
    @Inject(LiveCatalog) private readonly catalog: Pick<LiveCatalog, 'hasDeployment' | 'look'>,
  ) {}

  /**
   * Takes effect at once; every inference instance hears of it within a second. Gives the decision that holds
   * now, null: the deployment is open. @throws ControlError `not_found` for one that the catalog does not
   * have.
   */
  async set({ deployment, state, reason, by, forS }: Asked): Promise<DeploymentHold | null> {
    // What left the catalog can still be opened: it may come back.
    if (state !== 'open' && !this.catalog.hasDeployment(deployment))
      throw new ControlError('not_found', `The catalog has no deployment ${deployment}.`);
    const since = Date.now();
    const until = forS === undefined ? null : since + forS * 1_000;
    const hold: DeploymentHold | null = state === 'open' ? null : { state, reason: reason ?? null, by, since, until };
    if (hold) await this.store(deployment, hold);
    else await this.database.heldDeployment.deleteMany({ where: { deployment } });
    await this.catalog.look();
    return hold;
  }

  private async store(deployment: string, { state, reason, by, since, until }: DeploymentHold): Promise<void> {
    const row = {
      state,
      reason,
      heldBy: by,
      since: new Date(since),
      until: until === null ? null : new Date(until),
    };
    await this.database.heldDeployment.upsert({ where: { deployment }, create: { deployment, ...row }, update: row });
  }
}
