import { useState } from 'react';

/**
 * What a dialog makes is made once: the idempotency key of the dialog that is open, which is another one
 * when it is opened again. `crypto.randomUUID` is not there without HTTPS.
 */
export function useOnce(): string {
  const [key] = useState(() =>
    [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-'),
  );
  return key;
}
