import type { NamedRequest } from '@tollgate/contracts';
import { IconButton } from '../design/button';
import { useKey } from '../palette/use-key';

/** To the request before, and after, the one that is open, in the order of the list. */
export function StepButtons({
  id,
  shown,
  onOpen,
}: {
  id: string;
  shown: readonly NamedRequest[];
  onOpen: (id: string) => void;
}) {
  const place = shown.findIndex((request) => request.id === id);
  const before = place > 0 ? shown[place - 1] : undefined;
  const after = place >= 0 ? shown[place + 1] : undefined;
  const step = (to: NamedRequest | undefined) => () => {
    if (to) onOpen(to.id);
  };
  useKey((key) => {
    if (key === 'j') step(after)();
    if (key === 'k') step(before)();
  }, 'dialog');
  if (place < 0) return null;
  return (
    <>
      <IconButton
        size="small"
        icon="chevronUp"
        label="Previous request (K)"
        disabled={!before}
        onClick={step(before)}
      />
      <IconButton size="small" icon="chevronDown" label="Next request (J)" disabled={!after} onClick={step(after)} />
    </>
  );
}
