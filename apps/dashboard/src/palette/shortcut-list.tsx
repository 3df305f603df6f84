import { Fragment } from 'react';
import { Checkbox } from '../design/field';
import { Dialog } from '../design/dialog';
import { useSession } from '../session/session';
import { metaKey, useSingleKeys } from './use-key';
import styles from './palette.module.css';
import { shortcutsFor } from './shortcuts';

export function ShortcutList({ onClose }: { onClose: () => void }) {
  const { user } = useSession();
  const [on, setOn] = useSingleKeys();
  return (
    <Dialog open onClose={onClose} title="Shortcuts">
      {shortcutsFor(user, metaKey()).map(({ name, shortcuts }) => (
        <section key={name} className={styles.shortcuts} aria-label={name}>
          <h3>{name}</h3>
          <dl>
            {shortcuts.map(({ keys, does }) => (
              <Fragment key={does}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
      <Checkbox
        label="Single keys are shortcuts"
        checked={on}
        onChange={({ target: { checked } }) => setOn(() => checked)}
      />
    </Dialog>
  );
}
