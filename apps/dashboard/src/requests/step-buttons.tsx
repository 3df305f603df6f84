import { IconButton } from '../design/button';
import { useKey } from '../palette/use-key';

/** To the request before, and after, the one that is open, in the order of the list: `ids`. */
export function StepButtons({
  id,
  ids,
  within,
  onOpen,
}: {
  id: string;
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
        label="Previous request (K)"
        disabled={before === undefined}
        onClick={step(before)}
      />
      <IconButton
        size="small"
        icon="chevronDown"
        label="Next request (J)"
        disabled={after === undefined}
        onClick={step(after)}
      />
    </>
  );
}
