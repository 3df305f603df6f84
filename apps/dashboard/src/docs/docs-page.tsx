import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, NavLink, useLocation, useParams } from 'react-router';
import { useCatalog } from '../api/catalog';
import { Brand } from '../design/brand';
import { ButtonLink } from '../design/button';
import { SearchField } from '../design/field';
import { usePageTitle } from '../design/page';
import { Empty, Skeleton } from '../design/states';
import { ThemeSwitch } from '../design/theme-switch';
import { preferredModel, usualModel } from '../models/preferred-model';
import { useMe } from '../session/session';
import styles from './docs.module.css';
import { filledIn, searchGuides, titleOf } from './guide-text';
import type { Guide } from './guide-text';
import administration from './guides/administration.md?raw';
import clients from './guides/clients.md?raw';
import codingAgents from './guides/coding-agents.md?raw';
import cost from './guides/cost.md?raw';
import errors from './guides/errors.md?raw';
import formats from './guides/formats.md?raw';
import limits from './guides/limits.md?raw';
import quickStart from './guides/quick-start.md?raw';
import streaming from './guides/streaming.md?raw';

/** In the order in which they are read. The first is what /docs shows. */
const guides: readonly Guide[] = [
  { path: 'quick-start', text: quickStart },
  { path: 'clients', text: clients },
  { path: 'coding-agents', text: codingAgents },
  { path: 'streaming', text: streaming },
  { path: 'formats', text: formats },
  { path: 'errors', text: errors },
  { path: 'limits', text: limits },
  { path: 'cost', text: cost },
  { path: 'administration', text: administration },
];

const GuideView = lazy(async () => ({ default: (await import('./guide-view')).GuideView }));
const Reference = lazy(async () => ({ default: (await import('./reference')).Reference }));

const [first] = guides;

const pathOf = ({ path }: Guide) => (path === first?.path ? '/docs' : `/docs/${path}`);

/**
 * The documentation: guides with the reader's own address, and the reference of the API. Nobody needs to sign
 * in.
 */
export function DocsPage() {
  const { '*': path = '' } = useParams();
  const [typed, setTyped] = useState('');
  const guide = path === '' ? first : guides.find((one) => one.path === path);
  const title = path === 'reference' ? 'Reference' : guide ? titleOf(guide) : 'Documentation';
  usePageTitle(title);
  useAnchor();
  return (
    <div className={styles.page}>
      <a href="#main" className={styles.skip}>
        Skip to the content
      </a>
      <Top />
      <div className={styles.body}>
        <aside className={styles.side} aria-label="Guides">
          <SearchField label="Search the guides" value={typed} onChange={(event) => setTyped(event.target.value)} />
          <nav aria-label="Guides">
            <ul className={styles.list}>
              {guides.map((one) => (
                <li key={one.path}>
                  <NavLink to={pathOf(one)} end className={styles.link} onClick={() => setTyped('')}>
                    {titleOf(one)}
                  </NavLink>
                </li>
              ))}
              <li>
                <NavLink to="/docs/reference" className={styles.link} onClick={() => setTyped('')}>
                  Reference
                </NavLink>
              </li>
            </ul>
          </nav>
        </aside>
        <main id="main" tabIndex={-1} className={styles.main}>
          {typed.trim() ? (
            <Results typed={typed} onOpen={() => setTyped('')} />
          ) : (
            <Suspense fallback={<Skeleton lines={8} />}>
              {path === 'reference' ? <Reference /> : guide ? <Filled guide={guide} /> : <NoGuide />}
            </Suspense>
          )}
        </main>
      </div>
    </div>
  );
}

function Top() {
  const me = useMe();
  return (
    <header className={styles.top}>
      <Brand />
      <nav className={styles.actions} aria-label="Start">
        <ThemeSwitch />
        {me.data?.user ? (
          <ButtonLink to="/overview">Dashboard</ButtonLink>
        ) : (
          <ButtonLink to="/sign-in">Sign in</ButtonLink>
        )}
      </nav>
    </header>
  );
}

/** A guide with the address of this gateway, and a model that it has. */
function Filled({ guide }: { guide: Guide }) {
  const models = useCatalog().data?.models ?? [];
  const model = preferredModel(models) ?? usualModel;
  const place = guides.indexOf(guide);
  const [before, after] = [guides[place - 1], guides[place + 1]];
  return (
    <>
      <GuideView text={filledIn(guide.text, { origin: location.origin, model })} />
      <nav className={styles.steps} aria-label="Further reading">
        {before && <Link to={pathOf(before)}>← {titleOf(before)}</Link>}
        {after && (
          <Link to={pathOf(after)} className={styles.after}>
            {titleOf(after)} →
          </Link>
        )}
      </nav>
    </>
  );
}

function Results({ typed, onOpen }: { typed: string; onOpen: () => void }) {
  const found = searchGuides(guides, typed);
  return (
    <>
      <h1>Found</h1>
      {found.length === 0 && (
        <Empty icon="search" title="Nothing in the guides has these words">
          Use fewer of them, or look into the <Link to="/docs/reference">reference</Link>.
        </Empty>
      )}
      <ul className={styles.results}>
        {found.map(({ guide, heading, anchor, excerpt }) => (
          <li key={`${guide.path} ${heading}`}>
            <Link to={`${pathOf(guide)}${anchor === null ? '' : `#${anchor}`}`} onClick={onOpen}>
              {titleOf(guide)}
              {anchor !== null && ` · ${heading}`}
            </Link>
            <p className="muted break">{excerpt}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

function NoGuide() {
  return (
    <>
      <h1 className="visually-hidden">Not found</h1>
      <Empty icon="book" title="There is no such guide">
        Choose one of the list, or search for a word.
      </Empty>
    </>
  );
}

/** Goes to the part that the address names, once its text is there. */
function useAnchor() {
  const { hash, pathname } = useLocation();
  useEffect(() => {
    if (!hash) return;
    const timer = setTimeout(() => document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView(), 100);
    return () => clearTimeout(timer);
  }, [hash, pathname]);
}
