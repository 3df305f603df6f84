import type { ReactNode } from 'react';
import { classes } from './classes';
import { Icon } from './icon';
import styles from './note.module.css';

/** Something to know here and now. A problem is read out at once. */
export function Note({
  tone = 'info',
  title,
  children,
}: {
  tone?: 'info' | 'good' | 'warn' | 'bad';
  title?: string;
  children?: ReactNode;
}) {
  return (
    <div className={classes(styles.note, styles[tone])} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'message' : 'alert'} />
      <div className={styles.content}>
        {title && <p className={styles.title}>{title}</p>}
        {children && <div className={styles.text}>{children}</div>}
      </div>
    </div>
  );
}
