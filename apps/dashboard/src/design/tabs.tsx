import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

export interface Tab {
  id: string;
  name: ReactNode;
  content: ReactNode;
}

/** `value` and `onChange` make the choice the page's, else the tabs keep it. */
export function Tabs({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string;
  tabs: Tab[];
  value?: string;
  onChange?: (id: string) => void;
}) {
  return (
    <Radix.Root defaultValue={tabs[0]?.id} value={value} onValueChange={onChange}>
      <Radix.List className={styles.list} aria-label={label}>
        {tabs.map(({ id, name }) => (
          <Radix.Trigger key={id} value={id} className={styles.tab}>
            {name}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className={styles.panel}>
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
