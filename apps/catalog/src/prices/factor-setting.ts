import { Inject, Injectable } from '@nestjs/common';
import { ControlError, type PriceFactors, type ServedBy } from '@tollgate/contracts';
import { clockBoundMs, type SetFactors, type setFactorOperations, type ToldFactors } from '@tollgate/contracts/catalog';
import { isUuid, type Database, type Queries } from '@tollgate/database';
import { isDeepStrictEqual } from 'node:util';
import { LiveCatalog } from '../live-catalog';
import { DATABASE } from '../settings';
import { PriceLedger } from './price-ledger';
import { factorsAt, factorsOf, readStandingFactors } from './set-factors';
import { asTold, instant, pageOfSet, requireTime, requireWithdrawable } from './set-from';

type Served = ServedBy<typeof setFactorOperations>;
type Row = NonNullable<Awaited<ReturnType<Queries<'catalog'>['setFactor']['findUnique']>>>;

/** What is to be set, checked: its instant, and what would hold then. `already`: it was set before, just so. */
interface Plan {
  from: number;
  before: PriceFactors | null;
  already: SetFactors | null;
}

/**
 * Sets discounts and markups of deployments from an instant on, as prices are, and takes those back that have
 * not begun.
 */
@Injectable()
export class FactorSetting {
  constructor(
    @Inject(DATABASE) private readonly database: Database<'catalog'>,
    private readonly ledger: PriceLedger,
    private readonly catalog: LiveCatalog,
  ) {}

  /** @throws ControlError `invalid`, `conflict`; nothing was changed then. */
  async set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    const { deployment, factors, reason, dryRun, by } = asked;
    if (this.catalog.factorsOfFile.has(deployment))
      throw new ControlError(
        'invalid',
        `The discount or markup of ${deployment} stands in tollgate.yaml: change it there.`,
      );
    // Another instance may have been told of the deployment a moment ago.
    await this.catalog.look();
    const isKnown = this.catalog.hasDeployment(deployment);
    if (dryRun) {
      const { already, ...plan } = await this.planned(asked, isKnown, this.database, Date.now());
      return { applied: false, setFactors: already, isKnown, ...plan };
    }
    const outcome = await this.ledger.locked(async (queries) => {
      // Whoever waited for the lock is not to write what began meanwhile.
      const at = Date.now();
      const { already, ...plan } = await this.planned(asked, isKnown, queries, at);
      if (already) return { applied: false, setFactors: already, ...plan };
      const row = await queries.setFactor.create({
        data: {
          ...{ deployment, ...factors, validFrom: new Date(plan.from) },
          ...{ setAt: new Date(at), setBy: by, reason: reason ?? null },
        },
      });
      return { applied: true, setFactors: toSetFactors(row), ...plan };
    });
    await this.catalog.look();
    return { isKnown, ...outcome };
  }

  /** @throws ControlError `not_found`, `conflict`. */
  async withdraw({ id, by }: Served['withdraw']['request']): Promise<Served['withdraw']['reply']> {
    const setFactors = await this.ledger.locked(async (queries) => {
      const row = isUuid(id) ? await queries.setFactor.findUnique({ where: { id } }) : null;
      if (!row) throw new ControlError('not_found', 'There is no such discount or markup.');
      const at = Date.now();
      requireWithdrawable('discount or markup', row, at);
      const data = { withdrawnAt: new Date(at), withdrawnBy: by };
      return toSetFactors(await queries.setFactor.update({ where: { id }, data }));
    });
    await this.catalog.look();
    return { setFactors };
  }

  async list(now = Date.now()): Promise<Served['list']['reply']> {
    const ofFile = this.catalog.factorsOfFile;
    const standing = await readStandingFactors(this.database);
    const told = [...standing]
      .filter(([deployment]) => !ofFile.has(deployment))
      .map(([deployment, all]): ToldFactors => {
        const next = all.filter(({ from }) => from > now);
        return { deployment, origin: 'settings', factors: factorsAt(all, now), next };
      })
      .filter(({ factors, next }) => factors !== null || next.length > 0);
    const said = Array.from(ofFile, ([deployment, factors]): ToldFactors => {
      return { deployment, origin: 'file', factors, next: [] };
    });
    return { deployments: [...told, ...said].toSorted((a, b) => (a.deployment < b.deployment ? -1 : 1)) };
  }

  /** The newest first. @throws ControlError `invalid` for a cursor that is none. */
  async history({ deployment, ...page }: Served['history']['request']): Promise<Served['history']['reply']> {
    const where = deployment === undefined ? {} : { deployment };
    const { rows, next } = await pageOfSet(page, (of) => this.database.setFactor.findMany({ where, ...of }));
    return { factors: rows.map(toSetFactors), next };
  }

  /** @throws ControlError `invalid`, `conflict`. */
  private async planned(
    { deployment, factors, from: wished }: Served['set']['request'],
    isKnown: boolean,
    queries: Pick<Queries<'catalog'>, 'setFactor'>,
    at: number,
  ): Promise<Plan> {
    const standing = (await readStandingFactors(queries)).get(deployment) ?? [];
    const isFirst = !isKnown && standing.length === 0;
    const from = wished ?? (isFirst ? at : at + 2 * clockBoundMs);
    const told = await queries.setFactor.findFirst({
      where: { deployment, validFrom: { lte: new Date(from) }, withdrawnAt: null },
      orderBy: { validFrom: 'desc' },
    });
    const already = told && toSetFactors(told);
    const before = factorsAt(standing, from);
    const isMeant = already && (already.from === from || wished === undefined);
    if (isMeant && isDeepStrictEqual(already.factors, factors)) return { from: already.from, before, already };
    if (already?.from === from)
      throw new ControlError(
        'conflict',
        `A discount or markup of ${deployment} begins at ${instant(from)} already. Take it back first.`,
      );
    requireTime('discount or markup', wished, at);
    if (factors === null && before === null)
      throw new ControlError(
        'invalid',
        `No discount or markup of ${deployment} is set that would hold at ${instant(from)}.`,
      );
    return { from, before, already: null };
  }
}

/** As it is told. */
function toSetFactors({ discount, markup, ...row }: Row): SetFactors {
  return { ...asTold(row), factors: factorsOf({ discount, markup }) };
}
