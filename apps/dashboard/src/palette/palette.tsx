import { Dialog as Radix } from 'radix-ui';
import { useNavigate } from 'react-router';
import dialog from '../design/dialog.module.css';
import { SearchList } from '../design/search-list';
import { useSession } from '../session/session';
import styles from './palette.module.css';
import { requestWays, useWays } from './ways';

/** Goes anywhere: type a part of a name, press Enter. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const { user } = useSession();
  const ways = useWays(onShortcuts);
  const navigate = useNavigate();
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={dialog.veil} />
        <Radix.Content className={styles.palette} aria-describedby={undefined}>
          <Radix.Title className="visually-hidden">Go anywhere</Radix.Title>
          <SearchList
            label="Go to a page, a model, a key or a request"
            options={ways}
            extra={(typed) => requestWays(typed, user)}
            nothing="Nothing has that name."
            onChoose={({ to, act }) => {
              onClose();
              if (to !== undefined) void navigate(to);
              else act?.();
            }}
          />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
