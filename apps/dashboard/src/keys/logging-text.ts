import type { Me } from '../api/auth';
import { formatBytes } from '../format/number';

const names: Record<string, string> = {
  email: 'e-mail addresses',
  phone: 'telephone numbers',
  'credit-card': 'card numbers',
  iban: 'account numbers',
  'ip-address': 'IP addresses',
  'api-key': 'keys and tokens',
};

/** What is kept and for how long, in words. Null: the operator keeps nothing. */
export function loggingText(rules: Me['features']['contentLog']): string {
  if (!rules)
    return 'The operator of this gateway keeps no requests and answers: nothing is logged, whatever a key says.';
  const taken = [...new Set([...rules.detectors, 'api-key'])].map((detector) => names[detector] ?? detector);
  const days = rules.retentionDays === 1 ? 'one day' : `${rules.retentionDays} days`;
  return `Each request and its answer is kept for ${days}, up to ${formatBytes(rules.maxBodyBytes)} of each, without files and images. Taken out before that: ${taken.join(', ')}. The owner of the key can read and remove them; an administrator can read them, and the audit log keeps it. A request with the header x-tollgate-log: off is never kept.`;
}
