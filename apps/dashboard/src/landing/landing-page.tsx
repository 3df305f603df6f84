import { Link, Navigate } from 'react-router';
import { useCatalog } from '../api/catalog';
import { Brand } from '../design/brand';
import { ButtonLink } from '../design/button';
import { CodeBlock } from '../design/code-block';
import { usePageTitle } from '../design/page';
import { Tabs } from '../design/tabs';
import { ThemeSwitch } from '../design/theme-switch';
import { snippetsFor } from '../keys/snippets-for';
import { preferredModel, usualModel } from '../models/preferred-model';
import { useMe } from '../session/session';
import styles from './landing-page.module.css';
import { ModelList } from './model-list';

/** What the gateway is measured by. */
const promises = [
  {
    title: 'Complete or visibly failed',
    text: 'A stream is never silently short. Every piece is numbered, and an end that was not earned is never sent.',
  },
  {
    title: 'You hang up, the model stops',
    text: 'Within a second, streaming or not. You pay for what was produced, and for nothing else.',
  },
  {
    title: 'Three formats, every model',
    text: 'OpenAI chat completions, OpenAI responses, Anthropic messages: tools, images and reasoning reach every provider.',
  },
  {
    title: 'Everything in sight',
    text: 'Requests, tokens, cost, latency and every attempt, live. What is asked is kept only where you say so.',
  },
] as const;

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

function Snippets() {
  const model = preferredModel(useCatalog().data?.models ?? []) ?? usualModel;
  const snippets = snippetsFor({ origin: location.origin, apiKey: '$TOLLGATE_KEY', model });
  return (
    <div className={styles.snippets}>
      <Tabs
        label="Examples"
        tabs={snippets
          .filter(({ id }) => id !== 'ai-sdk')
          .map(({ id, name, code }) => ({ id, name, content: <CodeBlock code={code} name={`${name} example`} /> }))}
      />
    </div>
  );
}
