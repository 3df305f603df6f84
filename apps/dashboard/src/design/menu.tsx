import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './classes';
import { Icon } from './icon';
import type { IconName } from './icon';
import styles from './menu.module.css';

export interface MenuItem {
  name: string;
  icon?: IconName;
  tone?: 'bad';
  onSelect: () => void;
}

/** `children` is the button that opens it. */
export function Menu({ items, children }: { items: MenuItem[]; children: ReactNode }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles.menu} align="end" sideOffset={6} collisionPadding={8}>
          {items.map(({ name, icon, tone, onSelect }) => (
            <DropdownMenu.Item key={name} className={classes(styles.item, tone && styles[tone])} onSelect={onSelect}>
              {icon && <Icon name={icon} size={16} />}
              {name}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
