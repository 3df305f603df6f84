/** pending: waits for approval; active: may generate; suspended and declined: may not. */
export const accountStatuses = ['pending', 'active', 'suspended', 'declined'] as const;

/** Whether somebody stopped an account: its people see keys and sums alone, as billing does. */
export function isStopped(status: (typeof accountStatuses)[number]): boolean {
  return status === 'suspended' || status === 'declined';
}
