import type { ReactNode } from 'react';
import { Button } from '../design/button';
import styles from './settings.module.css';

/** The button that sends a form, and beside it what was saved last; `saved` is false until then. */
export function SaveRow({ busy, saved, children }: { busy: boolean; saved: string | false; children: ReactNode }) {
  return (
    <div className={styles.save}>
      <Button type="submit" busy={busy}>
        {children}
      </Button>
      <span role="status" className="muted">
        {saved}
      </span>
    </div>
  );
}
