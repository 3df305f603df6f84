import type { LoggedRequest } from '@tollgate/contracts/metering';
import { Badge } from '../design/badge';
import { formatCount } from '../format/number';
import { formatDuration } from '../format/time';
import styles from './requests.module.css';

/** What was tried, with what the provider answered each time, and why it failed in its own words. */
export function RequestAttempts({ attempts }: { attempts: LoggedRequest['attempts'] }) {
  return (
    <section className={styles.section} aria-labelledby="request-attempts">
      <h3 id="request-attempts">Attempts</h3>
      {attempts.length === 0 && <p className="muted">No provider was asked.</p>}
      <ol className={styles.attempts}>
        {attempts.map((attempt, index) => (
          <Attempt key={`${index} ${attempt.deployment}`} number={index + 1} attempt={attempt} />
        ))}
      </ol>
    </section>
  );
}

function Attempt({ number, attempt }: { number: number; attempt: LoggedRequest['attempts'][number] }) {
  const { deployment, provider, status, error, latencyMs, reason, detail, unbilled } = attempt;
  return (
    <li>
      <span className="muted number">{number}</span>
      <span className={styles.deployment}>
        <span>{provider}</span>
        <code className="muted break">{deployment}</code>
      </span>
      <span className={styles.outcome}>
        <Badge tone={error === null ? 'good' : 'bad'}>
          {status === null ? 'No answer' : `HTTP ${status}`}
          {error !== null && ` ${error}`}
        </Badge>
        <span className="number">{formatDuration(latencyMs)}</span>
      </span>
      {reason !== undefined && <p className={styles.words}>{reason}</p>}
      {detail !== undefined && <p className={styles.words}>For administrators: {detail}</p>}
      {unbilled !== undefined && (
        <p className={styles.words}>
          For administrators: {provider} may charge {formatCount(unbilled.input)} input and{' '}
          {formatCount(unbilled.output)} output tokens{unbilled.estimated && ' (estimated)'} for it, which its caller
          does not pay.
        </p>
      )}
    </li>
  );
}
