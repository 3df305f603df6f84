import type { ProviderHealth } from '../api/admin';
import type { BadgeTone } from '../design/badge';

/** A deployment that is left alone tells more than what was before. From a tenth of failures on a provider is in trouble; fewer than five requests say too little. */
export function healthOf({
  configured,
  requests,
  failed,
  leftAlone,
}: Pick<ProviderHealth, 'configured' | 'requests' | 'failed' | 'leftAlone'>): {
  tone: BadgeTone;
  text: string;
} {
  if (!configured) return { tone: 'plain', text: 'Not configured' };
  if (leftAlone.length > 0) return { tone: 'bad', text: 'Left alone' };
  if (requests === 0) return { tone: 'plain', text: 'Not used' };
  const share = failed / requests;
  if (requests >= 5 && share >= 0.5) return { tone: 'bad', text: 'Failing' };
  if (requests >= 5 && share >= 0.1) return { tone: 'warn', text: 'Unsteady' };
  return { tone: 'good', text: 'Healthy' };
}
