import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classes } from './classes';

export type BadgeTone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

export function Badge({ tone = 'plain', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={classes(styles.badge, styles[tone])}>{children}</span>;
}
