import { useEffect, useState } from 'react';
import { Button } from './button';

/** Says for two seconds that it worked, on the button and to a screen reader. */
export function CopyButton({ text, label = 'Copy', name }: { text: string; label?: string; name?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(null), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    );
  return (
    <>
      <Button
        size="small"
        icon={outcome === 'copied' ? 'check' : 'copy'}
        aria-label={name && !outcome ? `${label} ${name}` : undefined}
        onClick={() => void copy()}
      >
        {outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Not allowed' : label}
      </Button>
      <span role="status" className="visually-hidden">
        {outcome === 'copied'
          ? `${name ?? 'Text'} copied`
          : outcome === 'refused'
            ? 'The browser did not allow it'
            : ''}
      </span>
    </>
  );
}
