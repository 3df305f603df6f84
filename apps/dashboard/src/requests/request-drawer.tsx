import type { NamedRequest } from '@tollgate/contracts/metering';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ReportScope } from '../api/reports';
import { Badge } from '../design/badge';
import { IconLink } from '../design/button';
import { CopyButton } from '../design/copy-button';
import { Drawer } from '../design/dialog';
import { Facts } from '../design/facts';
import { Loaded } from '../design/states';
import { StepButtons } from '../design/steps';
import { formatExactMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatDuration, formatInstant } from '../format/time';
import { UnconfirmedPrice, usePriceDoubts } from '../models/price-doubts';
import { AccountLink, KeyLink, logOf, ModelLink, ProviderLink } from './links';
import { surfaceNamesForPeople } from './names';
import { RequestAttempts } from './request-attempts';
import { RequestBadge } from './request-badge';
import { RequestCharge } from './request-charge';
import { RequestContent } from './request-content';
import type { FilterName } from './request-filters';
import styles from './requests.module.css';
import { type Span, timelineOf } from './timeline';
import { useOpenedRequest } from './use-opened-request';

/** The details of the request that the address names; `id` null: of none, so that it is closed. */
export function RequestDrawer({
  id,
  shown,
  scope,
  onOpen,
  onClose,
}: {
  id: string | null;
  shown: readonly NamedRequest[];
  scope: ReportScope;
  onOpen: (id: string) => void;
  onClose: () => void;
}) {
  const request = useOpenedRequest(scope, id, shown);
  const ids = shown.map((one) => one.id);
  return (
    <Drawer
      open={id !== null}
      onClose={onClose}
      title="Request"
      description={request.data?.requestId}
      actions={
        id !== null && (
          <>
            <StepButtons id={id} thing="request" ids={ids} within="dialog" onOpen={onOpen} />
            <IconLink
              size="small"
              icon="open"
              label="Open as a page"
              to={`${logOf(scope)}/${encodeURIComponent(id)}`}
              state={ids}
            />
          </>
        )
      }
    >
      {id !== null && (
        <Loaded query={request} lines={6}>
          {(found) => (found ? <OpenedRequest request={found} scope={scope} /> : <p>There is no such request.</p>)}
        </Loaded>
      )}
    </Drawer>
  );
}

/** Everything that is known of a request. */
export function OpenedRequest({ request, scope }: { request: NamedRequest; scope: ReportScope }) {
  return (
    <>
      <Details request={request} scope={scope} />
      <RequestCharge key={`charge ${request.id}`} eventId={request.id} scope={scope} />
      <RequestContent key={request.id} eventId={request.id} scope={scope} />
    </>
  );
}

function Details({ request, scope }: { request: NamedRequest; scope: ReportScope }) {
  const { usage, startedAt, firstTokenAt, endedAt, costNanoUsd, attribution } = request;
  const doubts = usePriceDoubts();
  const found = (name: FilterName, value: string | undefined) =>
    value === undefined ? null : (
      <Link to={`${logOf(scope)}?${new URLSearchParams({ [name]: value }).toString()}`} className="break">
        {value}
      </Link>
    );
  const some = (count: number) => (count > 0 ? formatCount(count) : null);
  return (
    <>
      <section className={styles.section} aria-label="Facts">
        <Facts
          facts={[
            ['State', <RequestBadge key="state" request={request} />],
            ['Request id', <CopyButton key="id" text={request.requestId} label="Copy the id" />],
            ['Model', <ModelLink key="model" model={request.model} />],
            ['Asked for', request.requestedModel === request.model ? null : request.requestedModel],
            ['Provider', <ProviderLink key="provider" request={request} scope={scope} />],
            ['Format', `${surfaceNamesForPeople[request.surface]}${request.stream ? ', streamed' : ''}`],
            [
              'Account',
              scope === 'fleet' ? (
                <Named key="account" id={request.accountId}>
                  <AccountLink request={request} />
                </Named>
              ) : null,
            ],
            [
              'Key',
              <Named key="key" id={request.keyId}>
                <KeyLink request={request} scope={scope} />
              </Named>,
            ],
            ['End user', found('endUser', attribution?.endUser)],
            ['Session', found('session', attribution?.session)],
            ['Agent', found('agent', attribution?.agent)],
            ['Tags', attribution?.tags?.map((tag) => <span key={tag}>{found('tag', tag)} </span>) ?? null],
            [
              'Cost',
              costNanoUsd === null ? (
                'Unpriced: the price of this model is not known'
              ) : (
                <span key="cost">
                  {formatExactMoney(costNanoUsd)} <UnconfirmedPrice pricing={doubts.get(request.model)} />
                </span>
              ),
            ],
          ]}
        />
      </section>
      <section className={styles.section} aria-labelledby="request-times">
        <h3 id="request-times">Times</h3>
        <TimeLine spans={timelineOf(request)} />
        <Facts
          facts={[
            ['Began', formatInstant(startedAt)],
            [
              'First token',
              firstTokenAt === null
                ? request.stream
                  ? 'None was sent'
                  : 'Not streamed'
                : `after ${formatDuration(firstTokenAt - startedAt)}`,
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
      <RequestAttempts attempts={request.attempts} />
    </>
  );
}

/** A name, with the id below it. */
function Named({ id, children }: { id: string; children: ReactNode }) {
  return (
    <span className={styles.deployment}>
      {children}
      <code className="muted break small">{id}</code>
    </span>
  );
}

/** How a request spent its time, span below span. The bars say no more than the words beside them. */
function TimeLine({ spans }: { spans: Span[] }) {
  const totalMs = Math.max(1, ...spans.map(({ toMs }) => toMs));
  return (
    <ol className={styles.spans} aria-label="How the time was spent">
      {spans.map(({ kind, name, fromMs, toMs }) => (
        <li key={`${name} ${fromMs}`}>
          <span>{name}</span>
          <svg className={styles.line} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect
              className={styles[kind]}
              x={(fromMs / totalMs) * 100}
              y={1}
              width={Math.max(0.5, ((toMs - fromMs) / totalMs) * 100)}
              height={6}
            />
          </svg>
          <span className="number">{formatDuration(toMs - fromMs)}</span>
        </li>
      ))}
    </ol>
  );
}
