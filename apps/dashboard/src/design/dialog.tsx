import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from './button';
import { classes } from './classes';
import styles from './dialog.module.css';

interface Props {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

/**
 * In the middle of the screen, above everything else. Escape, the cross and a press outside close it, unless
 * it is sticky.
 */
export function Dialog({ wide = false, sticky = false, ...props }: Props & { wide?: boolean; sticky?: boolean }) {
  return <Layer {...props} sticky={sticky} className={classes(styles.dialog, wide && styles.wide)} />;
}

/** At the right edge, for the details of one of many. `actions` stand beside the cross. */
export function Drawer(props: Props & { actions?: ReactNode }) {
  return <Layer {...props} className={styles.drawer} />;
}

/** `sticky`: nothing but its own buttons closes it, for what is shown only once. */
function Layer({
  open,
  onClose,
  title,
  description,
  children,
  className,
  sticky = false,
  actions,
}: Props & { className: string | undefined; sticky?: boolean; actions?: ReactNode }) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.veil} />
        <Radix.Content
          className={className}
          {...(description ? {} : { 'aria-describedby': undefined })}
          onInteractOutside={(event) => sticky && event.preventDefault()}
          onEscapeKeyDown={(event) => sticky && event.preventDefault()}
        >
          <header className={styles.head}>
            <div>
              <Radix.Title>{title}</Radix.Title>
              {description && <Radix.Description className={styles.description}>{description}</Radix.Description>}
            </div>
            {!sticky && (
              <div className={styles.close}>
                {actions}
                <Radix.Close asChild>
                  <IconButton icon="close" label="Close" />
                </Radix.Close>
              </div>
            )}
          </header>
          <div className={styles.body}>{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
