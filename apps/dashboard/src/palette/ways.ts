import { useAccountNames } from '../admin/use-accounts';
import type { ListedAccount } from '../api/admin';
import type { User } from '../api/auth';
import type { ListedModel } from '../api/catalog';
import { useCatalog } from '../api/catalog';
import type { OwnKey } from '../api/keys';
import { pagesOf } from '../app/navigation';
import type { ListedOption } from '../design/search-list';
import { chooseTheme, useIsDark } from '../design/theme';
import { useKeys } from '../keys/use-keys';
import { modelPath } from '../app/paths';
import { useSession } from '../session/session';

/** Somewhere to go, or something to do. */
export interface Way extends ListedOption {
  to?: string;
  act?: () => void;
}

/** Everything that the palette leads to, for the person who is signed in. */
export function useWays(onShortcuts: () => void): Way[] {
  const { user } = useSession();
  const isAdministrator = user.role === 'administrator';
  const models = useCatalog().data?.models ?? [];
  const keys = useKeys().data?.data ?? [];
  const accounts = useAccountNames(isAdministrator).data?.data ?? [];
  const dark = useIsDark();
  return [
    ...pageWays(user),
    ...keys.map(keyWay),
    ...accounts.map(accountWay),
    ...(isAdministrator ? providerWays(models) : []),
    ...models.map(modelWay),
    { id: 'shortcuts', group: 'Do', name: 'Show the shortcuts', icon: 'book', detail: '?', act: onShortcuts },
    {
      id: 'theme',
      group: 'Do',
      name: dark ? 'Use the light theme' : 'Use the dark theme',
      icon: dark ? 'sun' : 'moon',
      act: () => chooseTheme(dark ? 'light' : 'dark'),
    },
  ];
}

function pageWays(user: User): Way[] {
  const requests: Way[] = [
    { id: 'failed', group: 'Pages', name: 'Failed requests', icon: 'alert', to: '/requests?state=failed' },
    { id: 'causes', group: 'Pages', name: 'Errors by cause', icon: 'alert', to: '/requests?show=failures' },
  ];
  return [
    ...pagesOf(user).map(({ path, name, icon }): Way => ({ id: path, group: 'Pages', name, icon, to: path })),
    ...(user.may.includes('requests') ? requests : []),
    { id: 'docs', group: 'Pages', name: 'Documentation', icon: 'book', to: '/docs' },
  ];
}

const keyWay = ({ id, name, display }: OwnKey): Way => ({
  id: `key ${id}`,
  group: 'Keys',
  name,
  words: `${display} ${id}`,
  icon: 'key',
  detail: display,
  to: `/keys/${encodeURIComponent(id)}`,
});

const accountWay = ({ id, name, email }: ListedAccount): Way => ({
  id: `account ${id}`,
  group: 'Accounts',
  name,
  words: `${email} ${id}`,
  icon: 'users',
  detail: email,
  to: `/admin/accounts/${encodeURIComponent(id)}`,
});

const providerWays = (models: readonly ListedModel[]): Way[] =>
  [...new Map(models.map(({ provider, providerName }) => [provider, providerName]))].map(([id, name]) => ({
    id: `provider ${id}`,
    group: 'Providers',
    name,
    words: id,
    icon: 'server',
    to: `/admin/providers/${encodeURIComponent(id)}`,
  }));

const modelWay = ({ id, name, providerName }: ListedModel): Way => ({
  id: `model ${id}`,
  group: 'Models',
  name,
  words: `${id} ${providerName}`,
  icon: 'cube',
  detail: id,
  to: modelPath(id),
});

/** Requests whose id holds what was typed. */
export function requestWays(typed: string, { may, role }: Pick<User, 'may' | 'role'>): Way[] {
  if (!may.includes('requests') || !/^[\w.:-]{4,}$/.test(typed)) return [];
  const query = `idPart=${encodeURIComponent(typed)}&range=week`;
  const find = (name: string, path: string): Way => ({
    id: `find ${path}`,
    group: 'Find',
    name: `${name} whose id holds ${typed}`,
    icon: 'search',
    to: `${path}?${query}`,
  });
  return [
    find('Requests', '/requests'),
    ...(role === 'administrator' ? [find('Everybody’s requests', '/admin/requests')] : []),
  ];
}
