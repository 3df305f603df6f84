import { NavLink } from 'react-router';
import { Icon } from '../design/icon';
import { useSession } from '../session/session';
import { adminDestinations, userDestinations } from './navigation';
import type { Destination } from './navigation';
import { adminPages, userPages } from './routes';
import styles from './shell.module.css';

/** Every page of the person who is signed in. A page's code is fetched as soon as somebody points at it. */
export function SideNavigation({ onVisit }: { onVisit?: () => void }) {
  const { user } = useSession();
  return (
    <nav className={styles.nav} aria-label="Pages">
      <Destinations destinations={userDestinations} onVisit={onVisit} />
      {user.role === 'administrator' && (
        <>
          <div className={styles.group} id="administration">
            Administration
          </div>
          <Destinations destinations={adminDestinations} labelledBy="administration" onVisit={onVisit} />
        </>
      )}
    </nav>
  );
}

function Destinations({
  destinations,
  labelledBy,
  onVisit,
}: {
  destinations: Destination[];
  labelledBy?: string;
  onVisit?: () => void;
}) {
  return (
    <ul className={styles.list} aria-labelledby={labelledBy}>
      {destinations.map(({ path, name, icon }) => {
        const preload = () => (userPages[path] ?? adminPages[path])?.preload();
        return (
          <li key={path}>
            <NavLink to={path} className={styles.link} onPointerEnter={preload} onFocus={preload} onClick={onVisit}>
              <Icon name={icon} />
              {name}
            </NavLink>
          </li>
        );
      })}
    </ul>
  );
}
