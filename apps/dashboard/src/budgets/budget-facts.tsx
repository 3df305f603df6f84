import { Fragment } from 'react';
import type { ListedBudget } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { Card } from '../design/card';
import { Facts } from '../design/facts';
import { Meter } from '../design/meter';
import { Empty } from '../design/states';
import { formatDate, formatDateTime } from '../format/time';
import { AccountLink, KeyLink } from '../requests/links';
import { formatExactAmount, leftWords, standingOf } from './standing';
import { AtLimit } from './at-limit';
import { BudgetScope } from './budget-scope';
import { ownerOf } from './budget-scopes';
import styles from './budgets.module.css';
import { resetWords, windowWords } from './window-words';

/** How a budget stands, to the nano-dollar, or token. `now`: epoch milliseconds. */
export function BudgetStanding({ budget: { name, unit, window, state }, now }: { budget: ListedBudget; now: number }) {
  if (!state)
    return (
      <Card title="Now">
        <Empty icon="alert" title="How it stands is not known">
          Metering does not answer. Requests are kept within it by what edges hold; this page follows by itself.
        </Empty>
      </Card>
    );
  const standing = standingOf(state);
  const { limitNanoUsd, spentNanoUsd, heldNanoUsd, resetsAt } = state;
  const exact = (amount: string) => formatExactAmount(unit, amount);
  const next = resetWords(window, state, now);
  return (
    <Card title="Now" hint={leftWords(unit, standing)}>
      <div className={styles.standing}>
        <Meter used={Math.max(0, standing.share)} limit={1} label={`Used of ${name}`} />
        <Facts
          facts={[
            ['Limit', exact(limitNanoUsd)],
            ['Spent', exact(spentNanoUsd)],
            ['Reserved', heldNanoUsd === '0' ? exact('0') : `${exact(heldNanoUsd)}, for requests that run`],
            ['Left', exact(standing.left.toString())],
            ['Next', resetsAt === null ? next : `${next}, ${formatDateTime(resetsAt)}`],
          ]}
        />
      </div>
    </Card>
  );
}

/** What a budget is on, and what happens at its limit. */
export function BudgetRules({ budget, scope }: { budget: ListedBudget; scope: ReportScope }) {
  const { id, keys, createdAt, unit, limitNanoUsd, each } = budget;
  const isOfMany = ownerOf(budget) === 'project' || keys.length > 1;
  const newest = isOfMany ? keys.toReversed() : [];
  return (
    <Card title="Budget">
      <Facts
        facts={[
          ['Limit', each ? `${formatExactAmount(unit, limitNanoUsd)}, of each` : null],
          ['Account', scope === 'fleet' ? <AccountLink key="account" request={budget} /> : null],
          ['On', <BudgetScope key="on" budget={budget} scope={scope} />],
          [
            'Newest keys',
            newest.length === 0 ? null : (
              <Fragment key="keys">
                {newest.map((key) => (
                  <div key={key.id}>
                    <KeyLink request={{ keyId: key.id, keyName: key.name }} scope={scope} />
                  </div>
                ))}
              </Fragment>
            ),
          ],
          ['Window', windowWords(budget)],
          ['At the limit', <AtLimit key="limit" budget={budget} />],
          ['Set', formatDate(createdAt)],
          ['Id', <code key="id">{id}</code>],
        ]}
      />
    </Card>
  );
}
