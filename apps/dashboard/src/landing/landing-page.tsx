import { Link, Navigate } from 'react-router';
import { Brand } from '../design/brand';
import { ButtonLink } from '../design/button';
import { usePageTitle } from '../design/page';
import { ThemeSwitch } from '../design/theme-switch';
import { useMe } from '../session/session';
import styles from './landing-page.module.css';
import { ModelList } from './model-list';
import { promises } from './promises';
import { Snippets } from './snippets';

export function LandingPage() {
  usePageTitle('Tollgate');
  const me = useMe();
  if (me.data?.user) return <Navigate to="/overview" replace />;
  return (
    <div className={styles.page}>
      <header className={styles.top}>
        <Brand />
        <nav className={styles.actions} aria-label="Start">
          <ThemeSwitch />
          <Link to="/docs" className={styles.docs}>
            Documentation
          </Link>
          <ButtonLink to="/sign-in">Sign in</ButtonLink>
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        <section className={styles.hero}>
          <div className={styles.pitch}>
            <h1>
              <span>One API key.</span> <span>Every model.</span> <span>A bill that is exact.</span>
            </h1>
            <p className={styles.lead}>
              Point the OpenAI or Anthropic client you already use at one base address and call any model of the list
              below, streamed or not. Usage is counted once, to the token and the nano-dollar.
            </p>
            <div className={styles.actions}>
              <ButtonLink to="/sign-up" tone="primary" size="large">
                Request access
              </ButtonLink>
              <ButtonLink to="/sign-in" size="large">
                Sign in
              </ButtonLink>
            </div>
            {me.data?.features.needsFirstAdministrator && (
              <p>
                <ButtonLink to="/first-administrator" tone="quiet" icon="shield">
                  Set up the first administrator
                </ButtonLink>
              </p>
            )}
          </div>
          <Snippets />
        </section>
        <section className={styles.promises} aria-label="What you can rely on">
          {promises.map(({ title, text }) => (
            <div key={title}>
              <h2>{title}</h2>
              <p>{text}</p>
            </div>
          ))}
        </section>
        <ModelList />
      </main>
    </div>
  );
}
