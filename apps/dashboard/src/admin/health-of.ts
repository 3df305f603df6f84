import { whyKeyRests } from '@tollgate/contracts/inference';
import type { ListedDeployment, ProviderHealth } from '../api/admin';
import type { BadgeTone } from '../design/badge';
import { formatDateTime, formatDuration } from '../format/time';

/**
 * A deployment that is left alone tells more than what was before. From a tenth of failures on a provider is
 * in trouble; fewer than five requests say too little.
 */
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

/** Which of several keys rest, and why: what other keys serve is no trouble of the provider. */
export function restsOf({ restingKeys = [] }: Pick<ProviderHealth, 'restingKeys'>): string[] {
  return restingKeys.map(({ key, deployment, status, restsForMs }) => {
    const where = deployment === null ? '' : ` at ${deployment}`;
    return `Key ${key} ${whyKeyRests({ status, deployment })} and rests${where} for ${formatDuration(restsForMs)} more`;
  });
}

/** What stands for a deployment's state; an operator's decision comes before what its health is. */
export function standingOf({ held, standing }: Pick<ListedDeployment, 'held' | 'standing'>): {
  tone: BadgeTone;
  text: string;
} {
  if (held) {
    const until = held.until === null ? '' : ` until ${formatDateTime(held.until)}`;
    return held.state === 'closed'
      ? { tone: 'bad', text: `Closed by an operator${until}` }
      : { tone: 'warn', text: `Draining${until}` };
  }
  if (!standing) return { tone: 'plain', text: 'Not tried' };
  if (standing.state === 'half-open') return { tone: 'warn', text: onTrial(standing.probes) };
  if (standing.state === 'open')
    return { tone: 'bad', text: `Left alone for ${formatDuration(standing.retryInMs)} more` };
  return standing.answersNobody ? busy(standing) : { tone: 'good', text: 'In use' };
}

/** What nobody asks any more is known as it was, and may have room by now. */
const oldAfterMs = 15_000;

function busy({ lastBusyMs }: Pick<NonNullable<ListedDeployment['standing']>, 'lastBusyMs'>): {
  tone: BadgeTone;
  text: string;
} {
  if (lastBusyMs === null || lastBusyMs <= oldAfterMs) return { tone: 'bad', text: 'Busy for everybody' };
  return { tone: 'warn', text: `Busy for everybody when last asked, ${formatDuration(lastBusyMs)} ago` };
}

function onTrial(probes: number): string {
  return probes === 0 ? 'On trial' : `On trial, ${probes} ${probes === 1 ? 'probe runs' : 'probes run'}`;
}
