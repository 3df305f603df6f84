import { useQuery } from '@tanstack/react-query';
import { fetchPasskeys, type Passkey, fetchSecondFactor } from '../api/second-factor';

/** What is asked for beside a password. `enabledAt` null: there is no authenticator. Epoch milliseconds. */
export interface Factors {
  enabledAt: number | null;
  passkeys: Passkey[];
  recoveryCodes: number;
  hasAny: boolean;
}

/** The second factors of who is signed in, which the cards of the settings share. */
export function useFactors() {
  return useQuery({
    queryKey: ['factors'],
    queryFn: async (): Promise<Factors> => {
      const [factor, { data: passkeys }] = await Promise.all([fetchSecondFactor(), fetchPasskeys()]);
      return { ...factor, passkeys, hasAny: factor.enabledAt !== null || passkeys.length > 0 };
    },
  });
}
