import { createContext, useContext } from 'react';
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

/** On a page: to the things before and after it in the list from which it was opened, if it was. */
export function PageSteps({ id, thing, pageOf }: { id: string; thing: string; pageOf: (id: string) => string }) {
  const ids = list.parse(useLocation().state);
  const navigate = useNavigate();
  return (
    <StepButtons
      id={id}
      thing={thing}
      ids={ids}
      within="page"
      onOpen={(other) => void navigate(pageOf(other), { state: ids })}
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
  const before = place > 0 ? ids[place - 1] : undefined;
  const after = place >= 0 ? ids[place + 1] : undefined;
  const step = (to: string | undefined) => () => {
    if (to !== undefined) onOpen(to);
  };
  useKey((key) => {
    if (key === 'j') step(after)();
    if (key === 'k') step(before)();
  }, within);
  if (place < 0) return null;
  return (
    <>
      <IconButton
        size="small"
        icon="chevronUp"
        label={`Previous ${thing} (K)`}
        disabled={before === undefined}
        onClick={step(before)}
      />
      <IconButton
        size="small"
        icon="chevronDown"
        label={`Next ${thing} (J)`}
        disabled={after === undefined}
        onClick={step(after)}
      />
    </>
  );
}
