import { createContext, useContext, useEffect, useRef } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import type { LinkProps } from 'react-router';
import { z } from 'zod/mini';
import { useKey } from '../palette/use-key';
import { IconButton } from './button';

/** The ids of a table's rows, in the order in which they are shown. */
export const RowIds = createContext<readonly string[]>([]);

/** The list from which a page was opened. */
const list = z.catch(z.array(z.string()), []);

/** From a row of a table to the page of what it is of, which then leads to the rows beside it. */
export function RowLink(props: LinkProps) {
  return <Link {...props} state={useContext(RowIds)} />;
}

/**
 * On a page: to the things before and after it in the list from which it was opened, if it was. The range and
 * what else was chosen on it stays.
 */
export function PageSteps({ id, thing, pageOf }: { id: string; thing: string; pageOf: (id: string) => string }) {
  const here = useLocation();
  const ids = list.parse(here.state);
  const navigate = useNavigate();
  return (
    <StepButtons
      id={id}
      thing={thing}
      ids={ids}
      within="page"
      onOpen={(other) => void navigate({ pathname: pageOf(other), search: here.search }, { state: ids })}
    />
  );
}

/** To the thing before, and after, the one that is open, in the order of the list: `ids`. */
export function StepButtons({
  id,
  thing,
  ids,
  within,
  onOpen,
}: {
  id: string;
  thing: string;
  ids: readonly string[];
  within: 'page' | 'dialog';
  onOpen: (id: string) => void;
}) {
  const place = ids.indexOf(id);
  // A press may come before what the last one asked for is drawn.
  const asked = useRef(id);
  useEffect(() => {
    asked.current = id;
  }, [id]);
  const step = (by: 1 | -1) => {
    const from = ids.indexOf(asked.current);
    const to = from < 0 ? undefined : ids[from + by];
    if (to === undefined) return;
    asked.current = to;
    onOpen(to);
  };
  useKey((key) => {
    if (key === 'j') step(1);
    if (key === 'k') step(-1);
  }, within);
  if (place < 0) return null;
  return (
    <>
      <IconButton
        size="small"
        icon="chevronUp"
        label={`Previous ${thing} (K)`}
        disabled={place === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        size="small"
        icon="chevronDown"
        label={`Next ${thing} (J)`}
        disabled={place === ids.length - 1}
        onClick={() => step(1)}
      />
    </>
  );
}
