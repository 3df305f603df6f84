import { Suspense, useEffect, useState } from 'react';
import type { MouseEvent } from 'react';
import { Outlet, useNavigate } from 'react-router';
import { Brand } from '../design/brand';
import { IconButton } from '../design/button';
import { Drawer } from '../design/dialog';
import { Icon } from '../design/icon';
import { Menu } from '../design/menu';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Skeleton } from '../design/states';
import { ThemeSwitch } from '../design/theme-switch';
import { metaKey } from '../palette/use-key';
import { openPalette, QuickWays } from '../palette/quick-ways';
import { leave } from '../session/leave';
import { useSession } from '../session/session';
import { SignInAgain } from '../session/sign-in-again';
import { forgetOthers } from '../session/stored';
import styles from './shell.module.css';
import { SideNavigation } from './side-navigation';

/** The frame of every page behind the sign-in: navigation at the side, on a phone behind a button. */
export function Shell() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip} onClick={skip}>
        Skip to the content
      </a>
      <header className={styles.bar}>
        <Brand />
        <span>
          <IconButton icon="search" label="Go anywhere" onClick={openPalette} />
          <IconButton icon="menu" label="Open the menu" onClick={() => setOpen(true)} />
        </span>
      </header>
      <Drawer open={open} onClose={close} title="Menu">
        <SideNavigation onVisit={close} />
        <Person />
      </Drawer>
      <aside className={styles.side} aria-label="Navigation">
        <div className={styles.brand}>
          <Brand />
        </div>
        <button type="button" className={styles.find} onClick={openPalette}>
          <Icon name="search" size={16} />
          Go anywhere
          <kbd>{metaKey()} K</kbd>
        </button>
        <SideNavigation />
        <Person />
      </aside>
      <main id="main" tabIndex={-1} className={styles.main}>
        <div className={styles.content}>
          <SandboxNote />
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
      <SignInAgain />
      <QuickWays />
    </div>
  );
}

/** To the content, at the same place of the history: another would not know the list that led to it. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** An invented answer must not be taken for a model's. */
function SandboxNote() {
  if (!useSession().me.features.sandbox) return null;
  return (
    <Note tone="warn" title="Simulated answers">
      The sandbox answers for every model marked “simulated”. Its answers are made up, and nobody owes the dollars that
      they seem to cost.
    </Note>
  );
}

/** The gateway refuses everybody else anyhow; this says so in words. */
export function AdministratorsOnly() {
  const { user } = useSession();
  if (user.role === 'administrator') return <Outlet />;
  return (
    <Page title="Administration">
      <Empty icon="shield" title="This page is for administrators of the gateway">
        Ask one of them if you need something from here.
      </Empty>
    </Page>
  );
}

function Person() {
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
