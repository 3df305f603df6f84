import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { fetchFirstDay } from '../api/admin';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { useSession } from '../session/session';
import styles from './admin.module.css';

/** One step of setting a gateway up. `todo`: what to do, as long as it is not done. */
interface Step {
  isDone: boolean;
  title: string;
  todo: ReactNode;
}

/** What a new gateway still lacks; gone once it lacks nothing, or nobody knows. */
export function FirstDay({ steps }: { steps: Step[] | null }) {
  if (!steps || steps.every(({ isDone }) => isDone)) return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Card title="The first day" hint={`${done} of ${steps.length} done. This list goes when all is done.`} flush>
      <ul className={styles.matters} aria-label="The first day">
        {steps.map(({ isDone, title, todo }) => (
          <li key={title} className={styles.matter}>
            <Badge tone={isDone ? 'good' : 'plain'}>{isDone ? 'Done' : 'To do'}</Badge>
            <span className={styles.name}>
              <span>{title}</span>
              {!isDone && <span className="muted break">{todo}</span>}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Undefined: not known yet; null: not to be had, and the page works without it. */
export function useFirstDay(): Step[] | null | undefined {
  const { features } = useSession().me;
  const query = useQuery({ queryKey: ['admin', 'first-day'], queryFn: fetchFirstDay });
  const { data, isLoading, failureCount } = query;
  // What waits for an administrator does not wait for the second try.
  if (isLoading && failureCount === 0) return undefined;
  if (!data) return null;
  return [
    {
      isDone: !features.sandbox,
      title: 'A provider answers',
      todo: (
        <>
          Give a provider its key on the page <Link to="/admin/providers">Providers</Link>, or add a server of your own
          there; neither needs a restart. Until then the sandbox answers.
        </>
      ),
    },
    {
      isDone: location.protocol === 'https:',
      title: 'HTTPS protects keys and passwords',
      todo: 'This page came over plain HTTP. Set TOLLGATE_DOMAIN in the compose stack, which gets a certificate by itself, or put a proxy of your own before edge.',
    },
    {
      isDone: features.mail,
      title: 'Mail can be sent',
      todo: 'Set SMTP_URL and SMTP_FROM. Without mail nobody is told of an approval, and a lost password needs a link that you make.',
    },
    {
      isDone: data.othersHaveAccess,
      title: 'Somebody besides you has access',
      todo: (
        <>
          Send people the address of this page: they ask for access, and you approve them under{' '}
          <Link to="/admin/accounts">Accounts</Link>.
        </>
      ),
    },
    {
      isDone: data.wasAsked,
      title: 'A first request was answered',
      todo: (
        <>
          Make a key under <Link to="/keys">Keys</Link>, which shows the call to copy, or ask a model in the{' '}
          <Link to="/playground">playground</Link>.
        </>
      ),
    },
  ];
}
