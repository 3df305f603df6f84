import { NavLink } from 'react-router';
import { Icon } from '../design/icon';
import { formatCount } from '../format/number';
import { useSession } from '../session/session';
import { accountPages, adminDestinations } from './navigation';
import type { Destination } from './navigation';
import { adminPages, userPages } from './signed-in-routes';
import styles from './shell.module.css';

/** Every page of the person who is signed in. A page's code is fetched as soon as somebody points at it. */
export function SideNavigation({ onVisit }: { onVisit?: () => void }) {
  const { user } = useSession();
  return (
    <nav className={styles.nav} aria-label="Pages">
      <Destinations destinations={accountPages(user)} onVisit={onVisit} />
      {user.role === 'administrator' && (
        <>
          <div className={styles.group} id="administration">
            Administration
          </div>
          <AdminDestinations onVisit={onVisit} />
        </>
      )}
    </nav>
  );
}

/** How many wait for access stands beside where they are approved. */
function AdminDestinations({ onVisit }: { onVisit?: () => void }) {
  const { names, isMore } = useSession().me.waiting ?? { names: [], isMore: false };
  const count = names.length > 0 ? `${formatCount(names.length)}${isMore ? '+' : ''}` : null;
  return (
    <Destinations
      destinations={adminDestinations}
      labelledBy="administration"
      waiting={count === null ? {} : { '/admin/accounts': count }}
      onVisit={onVisit}
    />
  );
}

/** `waiting`: what waits behind a path, as text. */
function Destinations({
  destinations,
  labelledBy,
  waiting = {},
  onVisit,
}: {
  destinations: Destination[];
  labelledBy?: string;
  waiting?: Readonly<Record<string, string>>;
  onVisit?: () => void;
}) {
  return (
    <ul className={styles.list} aria-labelledby={labelledBy}>
      {destinations.map(({ path, name, icon }) => {
        const preload = () => (userPages[path] ?? adminPages[path])?.preload();
        return (
          <li key={path}>
            <NavLink
              to={path}
              end={path === '/admin'}
              className={styles.link}
              onPointerEnter={preload}
              onFocus={preload}
              onClick={onVisit}
            >
              <Icon name={icon} />
              {name}
              {waiting[path] !== undefined && (
                <span className={styles.waiting} aria-label={`${waiting[path]} waiting`}>
                  {waiting[path]}
                </span>
              )}
            </NavLink>
          </li>
        );
      })}
    </ul>
  );
}
