import type { User } from '../api/auth';
import { pagesOf } from '../app/navigation';

/** What is pressed, and what it does, as a list for people. */
export interface Shortcut {
  keys: string[];
  does: string;
}

/** The second of two keys, after a G, by the page that it leads to. */
const letters: Readonly<Record<string, string>> = {
  '/overview': 'o',
  '/keys': 'k',
  '/budgets': 'b',
  '/requests': 'r',
  '/models': 'm',
  '/playground': 'p',
  '/settings': 's',
  '/admin': 'h',
  '/admin/accounts': 'a',
  '/admin/fleet': 'f',
  '/admin/requests': 'l',
  '/admin/providers': 'v',
  '/admin/audit': 'u',
};

type Who = Pick<User, 'may' | 'role'>;

/** The page that a key leads to after a G; null: none that this person has. */
export function pathAfterG(key: string, user: Who): string | null {
  return pagesOf(user).find(({ path }) => letters[path] === key)?.path ?? null;
}

/** Every shortcut that a person has. `meta`: what the key beside the space bar is called on their device. */
export function shortcutsFor(user: Who, meta: string): { name: string; shortcuts: Shortcut[] }[] {
  const pages = pagesOf(user).flatMap(({ path, name }) => {
    const letter = letters[path];
    return letter === undefined ? [] : [{ keys: ['G', letter.toUpperCase()], does: name }];
  });
  return [
    {
      name: 'Everywhere',
      shortcuts: [
        { keys: [meta, 'K'], does: 'Go to a page, a model, a key, an account or a request' },
        { keys: ['/'], does: 'Search on this page' },
        { keys: ['?'], does: 'Show this list' },
      ],
    },
    {
      name: 'Lists',
      shortcuts: [
        { keys: ['J'], does: 'The next request, key, model or account of the list, while one is open' },
        { keys: ['K'], does: 'The one before it' },
        { keys: ['L'], does: 'Pause the list, or let it follow again' },
      ],
    },
    { name: 'Go to', shortcuts: pages },
  ];
}
