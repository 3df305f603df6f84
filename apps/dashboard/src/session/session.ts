import type { AccountPermission } from '@tollgate/contracts/accounts';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { fetchMe } from '../api/auth';
import type { Me, OwnAccount, User } from '../api/auth';

const meKey = ['me'] as const;

/**
 * `ended`: the session is over, and `user` is who it belonged to: the page stays, with what was typed, until
 * they signed in again.
 */
type KnownMe = Me & { ended?: boolean };

/** What is known now, after what was known before. */
export const meAfter = (before: KnownMe | undefined, now: Me): KnownMe =>
  now.user === null && before?.user
    ? { ...before, csrfToken: now.csrfToken, wantsSecondFactor: now.wantsSecondFactor, ended: true }
    : now;

/**
 * What an answer tells that was asked for while `before` was known: who signed in meanwhile is known better.
 */
export const newestMe = (before: KnownMe | undefined, known: KnownMe | undefined, now: Me): KnownMe =>
  known && known !== before ? known : meAfter(known, now);

/** An approval shows at once, and who asks for one soon. */
function pollMsOf(known: KnownMe | undefined): number {
  if (known?.account?.status === 'pending') return 3_000;
  return known?.user?.role === 'administrator' ? 10_000 : 60_000;
}

/** Who is signed in. */
const meQuery = (client: QueryClient) => ({
  queryKey: meKey,
  queryFn: async () => {
    const before = client.getQueryData<KnownMe>(meKey);
    const now = await fetchMe();
    return newestMe(before, client.getQueryData<KnownMe>(meKey), now);
  },
  staleTime: 10_000,
});

/** Takes over what the page asked for before its files had come, so that it is read while it is new. */
export const takeEarlyMe = (client: QueryClient): void => {
  if (window.asked) void client.prefetchQuery(meQuery(client));
};

/** Who is signed in, kept current: an approval shows by itself while the page is looked at. */
export function useMe() {
  const client = useQueryClient();
  return useQuery({
    ...meQuery(client),
    refetchInterval: (query) => pollMsOf(query.state.data),
  });
}

/** The person of a page that only signed-in people reach. `account` null: an administrator without one. */
export function useSession(): { user: User; account: OwnAccount | null; me: Me } {
  const { data } = useMe();
  if (!data?.user) throw new Error('This page needs somebody who is signed in.');
  return { user: data.user, account: data.account, me: data };
}

/** Whether who is signed in may do something in their account. The gateway refuses it to others anyhow. */
export function useMay(permission: AccountPermission): boolean {
  return useSession().user.may.includes(permission);
}

/** Takes over what an answer told of who is signed in; nothing that was fetched for somebody else stays. */
export function useReplaceMe(): (me: Me) => void {
  const client = useQueryClient();
  return useCallback(
    (told: Me) => {
      const before = client.getQueryData<KnownMe>(meKey);
      // Who is in the middle of signing in again keeps their page.
      const me = told.wantsSecondFactor ? meAfter(before, told) : told;
      if (before?.user?.id !== me.user?.id)
        client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' && queryKey[0] !== 'catalog' });
      client.setQueryData(meKey, me);
    },
    [client],
  );
}

export function useRefetchMe(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(() => client.invalidateQueries({ queryKey: meKey }), [client]);
}
