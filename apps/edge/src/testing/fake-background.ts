import { ControlError } from '@tollgate/contracts';
import { backgroundOperations, backgroundPartIds } from '@tollgate/contracts/metering';
import type { TakenWork } from '@tollgate/contracts/metering';
import type { NatsConnection, Subscription } from 'nats';
import { respond } from './control-responder';
import type { FakeTurns } from './fake-turns';

/** Work as metering keeps it. `isFree`: its lease is over. */
interface Row extends TakenWork {
  holder: string;
  isFree: boolean;
}

type Named = Pick<Row, 'accountId' | 'id'>;

/**
 * Who works on which response in the background, as metering keeps it, in memory. A lease ends when a test
 * says so.
 */
export class FakeBackground {
  readonly rows: Row[] = [];

  constructor(
    private readonly turns: FakeTurns,
    private readonly checkPresence: () => void,
  ) {}

  /**
   * As if its edge had ended: another one may take it when this one has heard that it is not its own any
   * more.
   */
  leaveBehind(): void {
    for (const row of this.rows) row.holder = 'an edge that ended';
  }

  serve(connection: NatsConnection): Subscription[] {
    const { begin, renew, take, find, cancel, release, finish } = backgroundOperations;
    return [
      respond(connection, begin, (work) => {
        this.checkPresence();
        this.rows.push({ ...work, makings: 1, isCancelled: false, isFree: false });
        return {};
      }),
      respond(connection, renew, ({ holder, works }) => {
        this.checkPresence();
        const asked = this.rows.filter((row) => works.some(({ id }) => id === row.id));
        for (const row of asked) row.isFree ||= row.holder !== holder;
        return { works: asked.filter((row) => row.holder === holder) };
      }),
      respond(connection, take, ({ holder }) => {
        const works = this.rows.filter(({ isFree }) => isFree);
        for (const row of works) Object.assign(row, { holder, isFree: false, makings: row.makings + 1 });
        return { works };
      }),
      respond(connection, find, (named) => {
        const { isFree, isCancelled } = this.row(named);
        return { isHeld: !isFree, isCancelled };
      }),
      respond(connection, cancel, (named) => {
        this.row(named).isCancelled = true;
        return {};
      }),
      respond(connection, release, (named) => {
        this.row(named).isFree = true;
        return {};
      }),
      respond(connection, finish, (named) => {
        const row = this.row(named);
        const goes = [row.id, ...backgroundPartIds(row.id)];
        const kept = this.turns.parts.filter(({ id, bornAt }) => !goes.includes(id) || bornAt !== row.bornAt);
        this.turns.parts.splice(0, this.turns.parts.length, ...kept);
        this.rows.splice(this.rows.indexOf(row), 1);
        return {};
      }),
    ];
  }

  private row({ accountId, id }: Named): Row {
    this.checkPresence();
    const found = this.rows.find((row) => row.accountId === accountId && row.id === id);
    if (!found) throw new ControlError('not_found', 'Nobody works on it.');
    return found;
  }
}
