import { whyKeyRests, type ProviderKeyRest } from '@tollgate/contracts/inference';
import type { Alert } from './tell-alert';

/** Under what a key is told: another one in its place is told by itself. */
export function refusedKeyName({ provider, key, mark }: ProviderKeyRest): string {
  return ['provider.key_refused', provider, key, ...(mark === null ? [] : [mark])].join(' ');
}

/** `refused`: all that rest everywhere, of all providers, at all instances. */
export function refusedKeyAlert(
  { provider, key, status, of }: ProviderKeyRest,
  refused: readonly ProviderKeyRest[],
): Omit<Alert, 'link'> {
  const what = whyKeyRests({ status, deployment: null });
  const those = new Set(refused.filter((one) => one.provider === provider).map((one) => one.key));
  const isLast = of !== null && those.size >= of;
  const others = isLast
    ? `, and so none of the ${of} keys of ${provider} serves.`
    : '; its other keys are asked in its place.';
  return {
    kind: 'provider.key_refused',
    text: `Key ${key} of ${provider} ${what}${others}`,
    advice: 'Look at the account that it is of, and put a new key in its place.',
    data: { provider, key, status, ...(of !== null && { keys: of }) },
  };
}
