import styles from './requests.module.css';

/** How a request spent its time: waiting for the first token, then answering. The same stands in words beside it. */
export function TimeLine({
  startedAt,
  firstTokenAt,
  endedAt,
}: {
  startedAt: number;
  firstTokenAt: number | null;
  endedAt: number;
}) {
  const total = Math.max(endedAt - startedAt, 1);
  const waited = (((firstTokenAt ?? endedAt) - startedAt) / total) * 100;
  return (
    <svg className={styles.line} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect className={styles.waiting} x={0} y={3} width={waited} height={2} />
      <rect className={styles.answering} x={waited} y={0.5} width={100 - waited} height={7} />
    </svg>
  );
}
