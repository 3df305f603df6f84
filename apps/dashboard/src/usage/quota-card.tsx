import type { OwnKey } from '../api/keys';
import { ButtonLink } from '../design/button';
import { Card } from '../design/card';
import { Meter } from '../design/meter';
import { Empty, Loaded } from '../design/states';
import { formatCompact, formatCount } from '../format/number';
import { formatDate } from '../format/time';
import { useKeys } from '../keys/use-keys';
import styles from './usage.module.css';

/** What each key used of its tokens of this month. */
export function QuotaCard() {
  const keys = useKeys();
  const resetsAt = keys.data?.resetsAt;
  return (
    <Card title="Quota of this month" hint={resetsAt ? `Begins anew on ${formatDate(resetsAt)}.` : undefined}>
      <Loaded query={keys} lines={3}>
        {({ data }) => <Quotas keys={data.filter(({ keyStatus }) => keyStatus === 'active')} />}
      </Loaded>
    </Card>
  );
}

function Quotas({ keys }: { keys: OwnKey[] }) {
  if (!keys.length)
    return (
      <Empty icon="key" title="You have no key yet" action={<ButtonLink to="/keys">Create a key</ButtonLink>}>
        A key is what your programs call the gateway with.
      </Empty>
    );
  return (
    <ul className={styles.quotas}>
      {keys.slice(0, 6).map(({ id, name, usedTokens = 0, quotaTokens }) => (
        <li key={id}>
          <div className={styles.quotaHead}>
            <span className="break">{name}</span>
            <span className="muted number" title={formatCount(usedTokens)}>
              {formatCompact(usedTokens)}{' '}
              {quotaTokens === null ? 'tokens, no limit' : `of ${formatCompact(quotaTokens)} tokens`}
            </span>
          </div>
          {quotaTokens !== null && <Meter used={usedTokens} limit={quotaTokens} label={`Used tokens of ${name}`} />}
        </li>
      ))}
    </ul>
  );
}
