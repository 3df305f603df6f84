import { useState } from 'react';
import { sendVerification } from '../api/auth';
import type { OwnKey } from '../api/keys';
import { useAction } from '../api/use-action';
import { BudgetsCard } from '../budgets/budgets-card';
import { Button, ButtonLink } from '../design/button';
import { Card } from '../design/card';
import { Meter } from '../design/meter';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Loaded, Skeleton } from '../design/states';
import { formatCompact, formatCount } from '../format/number';
import { formatDate } from '../format/time';
import { useKeys } from '../keys/use-keys';
import { useSession } from '../session/session';
import { MonthCard } from './month-card';
import { RangePicker } from './range-picker';
import { UsageBoard } from './usage-board';
import styles from './usage.module.css';
import { useLineNames } from './use-line-names';
import { useRange } from './use-range';

const own = { scope: 'own' } as const;
const divisions = ['model', 'key', 'provider'] as const;

export function OverviewPage() {
  const { account } = useSession();
  const [range, setRange] = useRange();
  const keys = useKeys();
  const known = keys.data?.data;
  const nameOf = useLineNames(known);
  return (
    <Page
      title="Overview"
      hint={account ? `Plan ${account.plan}. Figures follow within seconds.` : 'Figures follow within seconds.'}
      actions={
        <>
          <ButtonLink to="/statement" icon="columns">
            Statement
          </ButtonLink>
          <RangePicker range={range} onChange={setRange} />
        </>
      }
    >
      <AccessNote />
      {keys.isLoading && <Skeleton inPlace={keys.failureCount > 0} />}
      {known?.length === 0 && <QuotaCard />}
      <MonthCard filter={own} />
      <UsageBoard range={range} filter={own} divisions={divisions} nameOf={nameOf} />
      <BudgetsCard />
      {known?.length !== 0 && <QuotaCard />}
    </Page>
  );
}

/** Where the request for access stands, as long as it is not simply granted. */
function AccessNote() {
  const { account, user, me } = useSession();
  return (
    <>
      {account?.status === 'pending' && (
        <Note tone="warn" title="Your request waits for approval">
          <p>
            You asked on {formatDate(account.createdAt)}. Make a key meanwhile: it starts to work the moment an
            administrator approves you. This page notices by itself.
          </p>
          <p>
            <ButtonLink to="/keys" size="small" icon="key">
              Create a key
            </ButtonLink>
          </p>
        </Note>
      )}
      {account?.status === 'declined' && (
        <Note tone="bad" title="Your request was declined">
          Requests with your keys are refused. Write to the administrator of this gateway if you think that is a
          mistake.
        </Note>
      )}
      {account?.status === 'suspended' && (
        <Note tone="bad" title="Your account is suspended">
          Requests with your keys are refused until an administrator activates it again.
        </Note>
      )}
      {!user.emailVerified && me.features.mail && <VerifyNote email={user.email} />}
    </>
  );
}

function VerifyNote({ email }: { email: string }) {
  const [sent, setSent] = useState(false);
  const { run, busy, problem } = useAction(async () => {
    await sendVerification();
    setSent(true);
  });
  return (
    <Note title="Please verify your email address">
      <p>{sent ? `A new link is on its way to ${email}.` : `Open the link that we sent to ${email}.`}</p>
      {problem && <p role="alert">{problem}</p>}
      {!sent && (
        <Button size="small" busy={busy} onClick={() => void run()}>
          Send it again
        </Button>
      )}
    </Note>
  );
}

/** What each key used of its tokens of this month. */
function QuotaCard() {
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
