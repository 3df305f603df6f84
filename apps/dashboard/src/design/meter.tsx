import { classes } from './classes';
import styles from './meter.module.css';

/** How much of a limit is used; it warns from four fifths on. */
export function Meter({ used, limit, label }: { used: number; limit: number; label: string }) {
  const share = limit === 0 ? 1 : used / limit;
  return (
    <progress
      className={classes(styles.meter, share >= 1 ? styles.bad : share >= 0.8 && styles.warn)}
      value={Math.min(share, 1)}
      max={1}
      aria-label={label}
    />
  );
}
