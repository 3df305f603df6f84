import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { IconButton } from '../design/button';
import { Menu } from '../design/menu';
import { ThemeSwitch } from '../design/theme-switch';
import { useSession } from '../session/session';
import { leave } from '../session/leave';
import { forgetOthers } from '../session/stored';
import styles from './shell.module.css';

export function Person() {
  const { user } = useSession();
  const navigate = useNavigate();
  useEffect(() => forgetOthers(user.id), [user.id]);
  return (
    <div className={styles.foot}>
      <div className={styles.person}>
        <span className={styles.name}>{user.name}</span>
        <span className="muted small">{user.email}</span>
      </div>
      <ThemeSwitch />
      <Menu
        items={[
          { name: 'Settings', icon: 'settings', onSelect: () => void navigate('/settings') },
          { name: 'Sign out', icon: 'user', onSelect: () => void leave() },
        ]}
      >
        <IconButton icon="user" label="Your account" />
      </Menu>
    </div>
  );
}
