import { adminDestinations, userDestinations } from '../app/navigation';
import { pathAfterG, shortcutsFor } from './shortcuts';

it.each([
  ['r', false, '/requests'],
  ['r', true, '/requests'],
  ['l', true, '/admin/requests'],
  ['l', false, null],
  ['x', true, null],
])('G %s leads an administrator (%s says who) to %s', (key, isAdministrator, path) =>
  expect(pathAfterG(key, isAdministrator)).toBe(path),
);

it('tells every shortcut once, and only those that work', () => {
  const { shortcuts = [] } = shortcutsFor(true, 'Ctrl').find(({ name }) => name === 'Go to') ?? {};
  const letters = shortcuts.map(({ keys }) => keys[1] ?? '');
  expect(new Set(letters).size).toBe(letters.length);
  const names = [...userDestinations, ...adminDestinations];
  for (const { keys, does } of shortcuts) {
    const path = pathAfterG((keys[1] ?? '').toLowerCase(), true);
    expect(names.find((destination) => destination.path === path)?.name).toBe(does);
  }
});
