import type { ComponentProps } from 'react';
import { Button } from '../design/button';
import { Menu } from '../design/menu';

/** Downloads what a page shows. `addressOf` is asked at the press, so that a range follows the clock. */
export function ExportMenu({
  addressOf,
  size,
  label = 'Export',
}: {
  addressOf: (format: 'csv' | 'json') => string;
  size?: ComponentProps<typeof Button>['size'];
  label?: string;
}) {
  const download = (format: 'csv' | 'json') => location.assign(addressOf(format));
  return (
    <Menu
      items={[
        { name: 'As CSV', onSelect: () => download('csv') },
        { name: 'As JSON', onSelect: () => download('json') },
      ]}
    >
      <Button size={size} icon="download">
        {label}
      </Button>
    </Menu>
  );
}
