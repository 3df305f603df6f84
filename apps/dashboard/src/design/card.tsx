import { useId } from 'react';
import type { ReactNode } from 'react';
import styles from './card.module.css';
import { classes } from './classes';

/** `flush`: its content reaches the edges, as tables do. */
export function Card({
  title,
  hint,
  actions,
  flush = false,
  children,
}: {
  title?: ReactNode;
  hint?: ReactNode;
  actions?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={title ? id : undefined}>
      {title && (
        <header className={styles.head}>
          <div className={styles.titles}>
            <h2 id={id}>{title}</h2>
            {hint && <p className={styles.hint}>{hint}</p>}
          </div>
          {actions}
        </header>
      )}
      <div className={classes(styles.body, flush && (title ? styles.flush : styles.bare))}>{children}</div>
    </section>
  );
}
