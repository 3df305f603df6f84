import { useQuery } from '@tanstack/react-query';
import { releasesOf } from '@tollgate/contracts';
import { useState } from 'react';
import { Link } from 'react-router';
import { fetchDeployments, fetchInstances, fetchKeysForAttention, fetchProviders, fetchStatus } from '../api/admin';
import { fetchBills } from '../api/bills';
import { useNearBudgets } from '../budgets/use-budgets';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded, Skeleton } from '../design/states';
import { useSession } from '../session/session';
import styles from './admin.module.css';
import { lastDays, summedBills } from './drift-of';
import { FirstDay, useFirstDay } from './first-day';
import { FleetStatusLine } from './fleet-status-line';
import {
  accessMatters,
  billMatters,
  budgetMatters,
  heldMatters,
  keyMatters,
  machineMatters,
  nothingWaits,
  providerMatters,
  sleepingMatters,
  soonMs,
} from './matters';
import type { Asleep, Matter } from './matters';

const billDays = 7;
/** Milliseconds between two looks at what changes by the second, and at what changes by the day. */
const often = { refetchInterval: 10_000 };
const seldom = { refetchInterval: 5 * 60_000 };
/** Between two looks at which budgets end: metering looks through all of them. */
const nearMs = 60_000;

/** What waits for an administrator, the most urgent first; each line leads to where it is dealt with. */
export function HomePage() {
  const steps = useFirstDay();
  const found = useMatters();
  return (
    <Page title="Administration" hint="What waits for you, and why." actions={<FleetStatusLine />}>
      {steps === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <>
          <FirstDay steps={steps} />
          <Matters found={found} />
        </>
      )}
    </Page>
  );
}

function Matters({ found }: { found: ReturnType<typeof useMatters> }) {
  return (
    <Card title="To do" flush>
      <Loaded query={found} lines={4}>
        {(matters) =>
          matters.length === 0 ? (
            <Empty icon="check" title="Nothing waits for you">
              {nothingWaits(found.asleep)}
            </Empty>
          ) : (
            <ul className={styles.matters} aria-label="To do">
              {matters.map((matter) => (
                <MatterLine key={matter.title} matter={matter} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

const urgency = { bad: 'Now', warn: 'Soon', accent: 'Waits', good: '', plain: 'Some day' } as const;

function MatterLine({ matter: { action, detail, path, title, tone } }: { matter: Matter }) {
  return (
    <li className={styles.matter}>
      <Badge tone={tone}>{urgency[tone]}</Badge>
      <span className={styles.name}>
        <Link to={path} aria-label={`${action}: ${title}`}>
          {title}
        </Link>
        <span className="muted break">{detail}</span>
      </span>
    </li>
  );
}

/** All matters; what cannot be had says so above those that can. */
function useMatters() {
  const [openedAt] = useState(Date.now);
  const { from, to } = lastDays(billDays, openedAt);
  const { waiting } = useSession().me;
  const providers = useQuery({ queryKey: ['admin', 'providers'], queryFn: fetchProviders, ...often });
  const deployments = useQuery({ queryKey: ['admin', 'deployments'], queryFn: fetchDeployments, ...often });
  const status = useQuery({ queryKey: ['admin', 'status'], queryFn: fetchStatus, ...often });
  const instances = useQuery({ queryKey: ['admin', 'instances'], queryFn: fetchInstances, ...seldom });
  const keys = useQuery({
    queryKey: ['admin', 'keys-for-attention', openedAt],
    queryFn: () => fetchKeysForAttention(openedAt + soonMs),
    ...seldom,
  });
  const budgets = useNearBudgets(nearMs);
  const bills = useQuery({ queryKey: ['admin', 'bills', from, to], queryFn: () => fetchBills(from, to), ...seldom });
  const asked = [providers, deployments, status, instances, keys, budgets, bills];
  const isAsking = asked.some(({ data, error }) => data === undefined && error === null);
  const matters = [
    ...(status.data ? machineMatters(status.data, releasesOf(instances.data?.data ?? [])) : []),
    ...(waiting ? accessMatters(waiting) : []),
    ...(providers.data ? providerMatters(providers.data.data, deployments.data?.data ?? []) : []),
    ...(deployments.data ? heldMatters(deployments.data.data) : []),
    ...(keys.data ? keyMatters(keys.data.ending.data, keys.data.ending.next != null, openedAt) : []),
    ...(keys.data ? sleepingMatters(keys.data.asleep.data, keys.data.asleep.next != null) : []),
    ...(budgets.data ? budgetMatters(budgets.data.data, budgets.data.isMore) : []),
    ...(bills.data ? billMatters(summedBills(bills.data.bills, bills.data.lines)) : []),
  ];
  return {
    data: isAsking ? undefined : matters.toSorted((one, other) => weights[one.tone] - weights[other.tone]),
    asleep: asleepOf(keys.data?.asleep),
    error: asked.find(({ error }) => error)?.error ?? null,
    failureCount: Math.max(...asked.map(({ failureCount }) => failureCount)),
    refetch: () => Promise.all(asked.map(({ refetch }) => refetch())),
  };
}

const asleepOf = (page?: { next?: unknown; useUnknown?: boolean }): Asleep =>
  page?.useUnknown ? 'unknown' : page?.next != null ? 'some' : 'all';

const weights = { bad: 0, accent: 1, warn: 2, good: 3, plain: 3 } as const;
