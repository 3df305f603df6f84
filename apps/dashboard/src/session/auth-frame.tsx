import type { ReactNode } from 'react';
import { Brand } from '../design/brand';
import { usePageTitle } from '../design/page';
import { ThemeSwitch } from '../design/theme-switch';
import styles from './auth-frame.module.css';

/** The calm page around one form. */
export function AuthFrame({
  title,
  lead,
  children,
  foot,
}: {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  foot?: ReactNode;
}) {
  usePageTitle(title);
  return (
    <div className={styles.frame}>
      <header className={styles.top}>
        <Brand />
        <ThemeSwitch />
      </header>
      <main id="main" className={styles.main}>
        <div className={styles.panel}>
          <div className={styles.head}>
            <h1>{title}</h1>
            {lead && <p className={styles.lead}>{lead}</p>}
          </div>
          {children}
          {foot && <div className={styles.foot}>{foot}</div>}
        </div>
      </main>
    </div>
  );
}

export const authStyles = styles;
