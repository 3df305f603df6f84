import { useEffect, useRef } from 'react';
import type { ListedModel } from '../api/catalog';
import { Button } from '../design/button';
import { Empty } from '../design/states';
import { ModelPicker } from './model-picker';
import styles from './playground.module.css';
import { TurnView } from './turn-view';
import type { Conversation } from './use-conversation';

/** One model and what is said with it. */
export function Pane({
  label,
  models,
  model,
  onModel,
  conversation,
  onCode,
}: {
  label: string;
  models: ListedModel[];
  model: string;
  onModel: (id: string) => void;
  conversation: Conversation;
  onCode: () => void;
}) {
  const end = useStickyEnd(conversation.turns);
  const pricing = models.find(({ id }) => id === model)?.pricing ?? null;
  return (
    <section className={styles.pane} aria-label={label}>
      <header className={styles.paneHead}>
        <ModelPicker label={label} models={models} value={model} onChange={onModel} />
        <Button size="small" tone="quiet" onClick={onCode}>
          As code
        </Button>
      </header>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <div ref={end} className={styles.turns} tabIndex={0} role="log" aria-label={`Conversation with ${model}`}>
        {conversation.turns.length === 0 && (
          <Empty icon="message" title="Say something">
            The answer streams in here, with its tokens, cost and times.
          </Empty>
        )}
        {conversation.turns.map((turn, number) => (
          <TurnView
            key={number}
            turn={turn}
            last={number === conversation.turns.length - 1}
            pricing={pricing}
            onResults={conversation.send}
          />
        ))}
      </div>
    </section>
  );
}

/** Follows what comes, unless somebody scrolled up to read. */
function useStickyEnd(turns: unknown) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element && element.scrollHeight - element.scrollTop - element.clientHeight < 160)
      element.scrollTop = element.scrollHeight;
  }, [turns]);
  return frame;
}
