import { useEffect } from 'react';
import { useWasNear } from './use-was-near';

/** Asks for more as soon as the end of a list comes near the window. It needs another key each time. */
export function EndOfRows({ onNear }: { onNear: () => void }) {
  const [end, isNear] = useWasNear();
  useEffect(() => {
    if (isNear) onNear();
  }, [isNear, onNear]);
  return <div ref={end} />;
}
