import { formatDuration } from '../format/time';
import styles from './requests.module.css';
import type { Span } from './timeline';

/** How a request spent its time, span below span. The bars say no more than the words beside them. */
export function TimeLine({ spans }: { spans: Span[] }) {
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
