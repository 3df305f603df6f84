import { rolePermissions } from '@tollgate/contracts/accounts';
import { pagesOf } from '../app/navigation';
import { pathAfterG, shortcutsFor } from './shortcuts';

const administrator = { role: 'administrator' as const, may: [...rolePermissions.owner] };
const owner = { ...administrator, role: 'user' as const };
const billing = { ...owner, may: [...rolePermissions.billing] };

it.each([
  ['r', 'an owner', owner, '/requests'],
  ['r', 'an administrator', administrator, '/requests'],
  ['r', 'who sees sums alone', billing, null],
  ['l', 'an administrator', administrator, '/admin/requests'],
  ['l', 'an owner', owner, null],
  ['x', 'an administrator', administrator, null],
])('G %s leads %s to the page that they have', (key, _who, user, path) => expect(pathAfterG(key, user)).toBe(path));

it('tells every shortcut once, and only those that work', () => {
  const { shortcuts = [] } = shortcutsFor(administrator, 'Ctrl').find(({ name }) => name === 'Go to') ?? {};
  const letters = shortcuts.map(({ keys }) => keys[1] ?? '');
  expect(new Set(letters).size).toBe(letters.length);
  const names = pagesOf(administrator);
  for (const { keys, does } of shortcuts) {
    const path = pathAfterG((keys[1] ?? '').toLowerCase(), administrator);
    expect(names.find((destination) => destination.path === path)?.name).toBe(does);
  }
});
