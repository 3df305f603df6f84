import type { LoggedRequest } from '@tollgate/contracts';
import type { ReportScope } from '../api/reports';
import { Badge } from '../design/badge';
import { CopyButton } from '../design/copy-button';
import { Drawer } from '../design/dialog';
import { Facts } from '../design/facts';
import { formatExactMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatDuration, formatInstant } from '../format/time';
import { providerNameOf } from './provider-name';
import { RequestBadge } from './request-badge';
import { RequestCharge } from './request-charge';
import { RequestContent } from './request-content';
import styles from './requests.module.css';
import { TimeLine } from './time-line';

const surfaces: Record<LoggedRequest['surface'], string> = {
  'openai-chat': 'Chat completions',
  'openai-responses': 'Responses',
  'anthropic-messages': 'Messages',
  'openai-embeddings': 'Embeddings',
  'openai-completions': 'Text completions',
  rerank: 'Rerank',
};

export function RequestDrawer({
  request,
  scope,
  keyName,
  onClose,
}: {
  request: LoggedRequest | null;
  scope: ReportScope;
  keyName?: string;
  onClose: () => void;
}) {
  return (
    <Drawer open={request !== null} onClose={onClose} title="Request" description={request?.requestId}>
      {request && (
        <>
          <Details request={request} keyName={keyName} />
          <RequestCharge key={`charge ${request.id}`} eventId={request.id} scope={scope} />
          <RequestContent key={request.id} eventId={request.id} scope={scope} />
        </>
      )}
    </Drawer>
  );
}

function Details({ request, keyName }: { request: LoggedRequest; keyName?: string }) {
  const { usage, startedAt, firstTokenAt, endedAt, costNanoUsd } = request;
  const some = (count: number) => (count > 0 ? formatCount(count) : null);
  return (
    <>
      <section className={styles.section} aria-label="Facts">
        <Facts
          facts={[
            ['State', <RequestBadge key="state" request={request} />],
            ['Request id', <CopyButton key="id" text={request.requestId} label="Copy the id" />],
            ['Model', request.model],
            ['Asked for', request.requestedModel === request.model ? null : request.requestedModel],
            ['Provider', providerNameOf(request.provider)],
            ['Format', `${surfaces[request.surface]}${request.stream ? ', streamed' : ''}`],
            ['Key', keyName ?? request.keyId],
            [
              'Cost',
              costNanoUsd === null ? 'Unpriced: the price of this model is not known' : formatExactMoney(costNanoUsd),
            ],
          ]}
        />
      </section>
      <section className={styles.section} aria-labelledby="request-times">
        <h3 id="request-times">Times</h3>
        <TimeLine startedAt={startedAt} firstTokenAt={firstTokenAt} endedAt={endedAt} />
        <Facts
          facts={[
            ['Began', formatInstant(startedAt)],
            [
              'First token',
              firstTokenAt === null ? 'None was sent' : `after ${formatDuration(firstTokenAt - startedAt)}`,
            ],
            ['Ended', `after ${formatDuration(endedAt - startedAt)}`],
          ]}
        />
      </section>
      <section className={styles.section} aria-labelledby="request-tokens">
        <h3 id="request-tokens">
          Tokens {request.estimated && <Badge tone="warn">counted by the gateway: the provider told none</Badge>}
        </h3>
        <Facts
          facts={[
            ['Input', formatCount(usage.input)],
            ['of it from the cache', some(usage.cachedInput)],
            ['of it into the cache', some(usage.cacheWrite5m + usage.cacheWrite1h)],
            ['of it audio', some(usage.audioInput)],
            ['Output', formatCount(usage.output)],
            ['of it reasoning', some(usage.reasoning)],
            ['of it speech', some(usage.audioOutput)],
          ]}
        />
      </section>
      <section className={styles.section} aria-labelledby="request-attempts">
        <h3 id="request-attempts">Attempts</h3>
        {request.attempts.length ? (
          <Attempts attempts={request.attempts} />
        ) : (
          <p className="muted">No provider was asked.</p>
        )}
      </section>
    </>
  );
}

function Attempts({ attempts }: { attempts: LoggedRequest['attempts'] }) {
  return (
    <ol className={styles.attempts}>
      {attempts.map(({ deployment, provider, status, error, latencyMs }, number) => (
        <li key={`${number} ${deployment}`}>
          <span className="muted number">{number + 1}</span>
          <span className={styles.deployment}>
            <span>{provider}</span>
            <code className="muted break">{deployment}</code>
          </span>
          <span className="number">
            <Badge tone={error === null ? 'good' : 'bad'}>{error ?? status ?? 'Answered'}</Badge>{' '}
            {formatDuration(latencyMs)}
          </span>
        </li>
      ))}
    </ol>
  );
}
