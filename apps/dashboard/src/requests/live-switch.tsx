import { Button } from '../design/button';
import { classes } from '../design/classes';
import { useKey } from '../palette/use-key';
import styles from './requests.module.css';

/** Whether the list follows what happens. Paused, it stays as it is while somebody reads. */
export function LiveSwitch({ live, onChange }: { live: boolean; onChange: (live: boolean) => void }) {
  useKey((key) => key === 'l' && onChange(!live));
  return (
    <Button aria-pressed={live} title={live ? 'Pause (L)' : 'Follow again (L)'} onClick={() => onChange(!live)}>
      <span className={classes(styles.dot, live && styles.live)} aria-hidden="true" />
      {live ? 'Live' : 'Paused'}
    </Button>
  );
}
