import { Injectable, Optional } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import type { budgetLeaseOperations, BudgetState } from '@tollgate/contracts/metering';
import { Prisma, isDatabaseUnavailable, isUuid } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { someAtOnce } from '@tollgate/service';
import { Databases, mostConnections } from '../databases';
import { KeyedQueue } from '../quota/keyed-queue';
import { answeredBefore, raiseLease, renewLeases } from '../quota/lease-rows';
import type { LeaseTable } from '../quota/lease-rows';
import { forgetNames } from './forget-names';
import { forgetSums } from './forget-sums';
import { GatheredWork } from './gathered-work';
import { leavesOf, roomAt } from './leaves-of-budget';
import { namesOfBudget } from './names-of-budget';
import { openWindows } from './open-window';
import type { DueWindow } from './open-window';
import { noteRefusal, reachedBudgets } from './reached-budgets';
import { noteTold, reachedNames } from './reached-names';
import { SomeTurns } from './some-turns';
import { windowsOfBudget } from './windows-of-budget';

type Served = ServedBy<typeof budgetLeaseOperations>;
type AcquireRequest = Served['acquire']['request'];
type AcquireReply = Served['acquire']['reply'];

/** A budget, or what one name has of it alone, whose digest is then not empty. */
interface BudgetPart {
  budgetId: string;
  nameDigest: string;
}

/** How a budget stands. */
interface Standing {
  limit: bigint;
  spent: bigint;
  held: bigint;
  resetsAt: Date | null;
}

/** Not all was summed yet of the window at hand. */
const unopened = Symbol('unopened');

interface KnownLease {
  sequence: bigint;
  lastGranted: bigint;
}

const table: LeaseTable = {
  name: Prisma.sql`budget_lease`,
  of: 'budget',
  owner: Prisma.sql`budget_id, name_digest`,
  isOwners: Prisma.sql`lease.budget_id = excluded.budget_id AND lease.name_digest = excluded.name_digest`,
  held: Prisma.sql`held_nano_usd`,
  closedAt: Prisma.sql`clock_timestamp()`,
};

/**
 * What was lost with an edge may still be told by inference, or wait at another instance, for so long; only
 * then a lease that ran out is nobody's.
 */
const lateEventsMs = 20_000;
/** Of so many budgets that somebody looks at the states are read at the same time: others ask, too. */
const readAtOnce = 4;
/**
 * So many are granted at the same time. A request with a hundred budgets asks for all of them at once: where
 * each took a connection, those behind them would be told that the database is away, on a busy machine. The
 * other four are for openings, renewals, and who looks at states.
 */
const grantedAtOnce = mostConnections.operations - 4;
/** Windows that are opened together: who comes behind them waits until all of them are. */
const openedTogether = 10;
/** So often sums are made in vain, since they are gone again when they are read; more would be a fault. */
const mostOpenings = 10;
/** So many leases are removed in one statement. */
const mostRemoved = 1_000;

/**
 * Grants edges some of a budget to reserve from, so that spent + held <= limit for every budget. It is the
 * way of `QuotaLeases`, and stricter in two things. A request gives back what it did not use by its usage
 * event, in the transaction that counts what it spent: until that is stored, all that it reserved is held.
 * And a lease counts as long as its row exists, also when it ran out: `sweep` removes it only when no usage
 * waits to be stored.
 */
@Injectable()
export class BudgetLeases {
  private readonly queue = new KeyedQueue();
  private readonly turns = new SomeTurns(grantedAtOnce);
  /** Opened one after the other anyway, each on a connection: who waits has theirs opened with all others. */
  private readonly openings: GatheredWork<DueWindow>;

  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
    @Optional() private readonly ttlMs: number = 60_000,
  ) {
    const open = (windows: readonly DueWindow[]) => openWindows(databases.operations, windows);
    this.openings = new GatheredWork(openedTogether, open, isDatabaseUnavailable);
  }

  /**
   * @throws ControlError `conflict` when the sequence number was overtaken, or the id is another budget's.
   */
  acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { operations } = this.databases;
    return this.queue.run(`${request.budgetId} ${request.nameDigest}`, async () => {
      const reply = await this.withWindow(request.budgetId, (at) =>
        this.turns.take(() => operations.$transaction((transaction) => this.raise(transaction, request, at))),
      );
      await this.turns.take(() => noteRefusal(operations, request, reply, new Date(this.now())));
      return reply;
    });
  }

  /**
   * Extends the leases that exist, takes back what each no longer needs, and says which those were. A closed
   * lease is not extended.
   */
  renew({ edgeId, leases }: Served['renew']['request']): Promise<{ renewed: string[]; ttlMs: number }> {
    const changes = leases.map(({ giveBackNanoUsd, ...change }) => ({ ...change, giveBack: giveBackNanoUsd }));
    return renewLeases(this.databases.operations, table, { edgeId, leases: changes, ttlMs: this.ttlMs });
  }

  /** How budgets stand, by id; those that do not exist are left out. */
  async states(budgetIds: readonly string[]): Promise<Record<string, BudgetState>> {
    const states = await someAtOnce(budgetIds.filter(isUuid), readAtOnce, async (id) => {
      const found = await this.withWindow(id, (at) => readStanding(this.databases.operations, whole(id), at));
      return found ? [[id, toState(found)] as const] : [];
    });
    return Object.fromEntries(states.flat());
  }

  /** Which budgets have come so far, and which have refused a request; see `reachedBudgets`. */
  reached(request: Served['reached']['request']): Promise<Served['reached']['reply']> {
    return reachedBudgets(this.databases.operations, request, new Date(this.now()));
  }

  /** How names stand of a budget that each has alone; see `namesOfBudget`. */
  names(request: Served['names']['request']): Promise<Served['names']['reply']> {
    return namesOfBudget(this.databases.operations, request, new Date(this.now()));
  }

  /** What was spent in the last windows; see `windowsOfBudget`. */
  windows(request: Served['windows']['request']): Promise<Served['windows']['reply']> {
    return windowsOfBudget(this.databases.operations, request);
  }

  /** Names of which nobody was told yet that they came to a threshold; see `reachedNames`. */
  reachedNames(request: Served['reachedNames']['request']): Promise<Served['reachedNames']['reply']> {
    return reachedNames(this.databases.operations, request, new Date(this.now()));
  }

  /** People were told of these names. */
  namesTold(request: Served['namesTold']['request']): Promise<void> {
    return noteTold(this.databases.operations, request);
  }

  /**
   * Removes leases that ran out, or were closed, more than `knownForMs` and some seconds ago, a part at a
   * time. Call it when all usage is stored that was told until `knownForMs` ago: what is not would not be
   * held while it waits.
   */
  async sweep(knownForMs: number): Promise<void> {
    let removed: number;
    do
      removed = await this.databases.operations.$executeRaw`
        DELETE FROM budget_lease WHERE id IN (
          SELECT id FROM budget_lease
          WHERE expires_at <= clock_timestamp() - ${Math.ceil(knownForMs) + lateEventsMs}::int * interval '1 millisecond'
          ORDER BY expires_at, id LIMIT ${mostRemoved} FOR UPDATE SKIP LOCKED
        )`;
    while (removed === mostRemoved);
  }

  /** Forgets what was spent in windows that are over; see `forgetSums`. */
  forgetSums(): Promise<void> {
    return forgetSums(this.databases.ingest, new Date(this.now()));
  }

  /** Forgets what names spent in windows that are over for a day; see `forgetNames`. */
  forgetNames(): Promise<void> {
    return forgetNames(this.databases.ingest, new Date(this.now()));
  }

  private async raise(
    transaction: Queries<'metering'>,
    request: AcquireRequest,
    at: Date,
  ): Promise<AcquireReply | typeof unopened> {
    const { budgetId, nameDigest = '' } = request;
    if (!isUuid(budgetId)) return this.gone;
    const part = { budgetId, nameDigest };
    // One grant of a budget, or of a name's part, at a time, over all instances.
    await transaction.$queryRaw`
      SELECT pg_advisory_xact_lock(hashtext('tollgate.budget'), hashtext(${budgetId + nameDigest}))::text`;
    const found = await readStanding(transaction, part, at);
    if (found === unopened) return unopened;
    if (!found) return this.gone;
    const own = await ownLease(transaction, request.leaseId);
    const granted = grant(request, found, own);
    const added = own?.sequence === BigInt(request.sequence) ? 0n : granted;
    await raiseLease(transaction, table, request, {
      ownerId: Prisma.sql`${budgetId}::uuid, ${nameDigest}`,
      added,
      granted,
      ttlMs: this.ttlMs,
    });
    const state = toState({ ...found, held: found.held + added });
    const reply = { grantedNanoUsd: granted.toString(), ttlMs: this.ttlMs, state, leaves: [] };
    if (granted > 0n) return reply;
    const leaves = await leavesOf(transaction, budgetId, at);
    return { ...reply, state: { ...state, resetsAt: roomAt(request, state, leaves) }, leaves };
  }

  /** Again, at the same moment, where sums of a budget's window have to be made first. */
  private async withWindow<Result>(
    budgetId: string,
    work: (at: Date) => Promise<Result | typeof unopened>,
  ): Promise<Result> {
    const at = new Date(this.now());
    for (let opened = 0; opened <= mostOpenings; opened++) {
      const result = await work(at);
      if (result !== unopened) return result;
      await this.openings.run({ budgetId, at });
    }
    throw new Error(`the sums of budget ${budgetId} went as often as they were made`);
  }

  private get gone(): AcquireReply {
    return { grantedNanoUsd: '0', ttlMs: this.ttlMs, state: null, leaves: [] };
  }
}

const whole = (budgetId: string): BudgetPart => ({ budgetId, nameDigest: '' });

/**
 * The sums of which the window of a `budget` consists at a moment: how many, and when the first and the last
 * begins. A window that rolls is the slice at hand, sixty before, and the next, where the clock of who tells
 * of usage is ahead.
 */
function windowAt(at: Date): Prisma.Sql {
  return Prisma.sql`
    SELECT start - coalesce(rolls, '0') AS first, start + coalesce(rolls / 60, '0') AS last, CASE WHEN rolls IS NULL THEN 1 ELSE 62 END AS parts
    FROM (SELECT budget_window_start("window", time_zone, created_at, ${at}::timestamptz) AS start, budget_rolls("window") AS rolls) AS slice`;
}

/**
 * Null: there is no such budget; so it is for the whole of one that each name has alone, and for a part of
 * one that is not divided. Spent and held are of one moment: usage moves from one to the other.
 */
async function readStanding(
  queries: Queries<'metering'>,
  { budgetId, nameDigest }: BudgetPart,
  at: Date,
): Promise<Standing | null | typeof unopened> {
  const [row] = await queries.$queryRaw<{ limit: bigint; spent: string | null; held: string; resetsAt: Date | null }[]>`
    SELECT limit_nano_usd AS "limit",
      CASE WHEN budget_rolls("window") IS NULL THEN budget_window_end("window", time_zone, ${at}::timestamptz)
        ELSE budget_slice_leaves("window", coalesce(whole.first_spent, date_bin(budget_rolls("window") / 60, ${at}::timestamptz, 'epoch')))
        END AS "resetsAt",
      CASE WHEN each_by IS NULL THEN whole.spent
      ELSE coalesce((SELECT spent_nano_usd::text FROM budget_name_spent WHERE budget_id = budget.id AND name_digest = ${nameDigest}
        AND window_start = budget_window_start("window", time_zone, created_at, ${at}::timestamptz)), '0') END AS spent,
      (SELECT coalesce(sum(held_nano_usd), 0)::text FROM budget_lease
        WHERE budget_id = budget.id AND name_digest = ${nameDigest}) AS held
    FROM budget LEFT JOIN LATERAL (
      SELECT CASE WHEN count(sum.window_start) = max(at_hand.parts) THEN sum(sum.spent_nano_usd)::text END AS spent,
        min(sum.window_start) FILTER (WHERE sum.spent_nano_usd > 0) AS first_spent
      FROM (${windowAt(at)}) AS at_hand LEFT JOIN budget_spent AS sum
        ON sum.budget_id = budget.id AND sum.window_start BETWEEN at_hand.first AND at_hand.last
    ) AS whole ON each_by IS NULL
    WHERE id = ${budgetId}::uuid AND (each_by IS NULL) = (${nameDigest} = '')`;
  if (!row) return null;
  return row.spent === null ? unopened : { ...row, spent: BigInt(row.spent), held: BigInt(row.held) };
}

async function ownLease(transaction: Queries<'metering'>, leaseId: string): Promise<KnownLease | null> {
  const [row] = await transaction.$queryRaw<KnownLease[]>`
    SELECT sequence, last_granted AS "lastGranted"
    FROM budget_lease WHERE id = ${leaseId} FOR UPDATE`;
  return row ?? null;
}

/**
 * What is left, at most what was asked for, if it is enough; the old answer when this sequence number was
 * answered before.
 */
function grant(request: AcquireRequest, { limit, spent, held }: Standing, own: KnownLease | null): bigint {
  const answered = answeredBefore(request, own);
  if (answered !== null) return answered;
  const left = limit - spent - held;
  const asked = BigInt(request.nanoUsd);
  if (left <= 0n || left < BigInt(request.leastNanoUsd)) return 0n;
  return left < asked ? left : asked;
}

function toState({ limit, spent, held, resetsAt }: Standing): BudgetState {
  return {
    limitNanoUsd: limit.toString(),
    spentNanoUsd: spent.toString(),
    heldNanoUsd: held.toString(),
    resetsAt: resetsAt?.getTime() ?? null,
  };
}
