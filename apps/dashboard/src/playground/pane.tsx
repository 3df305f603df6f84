import { useEffect, useRef } from 'react';
import type { ListedModel } from '../api/catalog';
import { Button, IconButton } from '../design/button';
import { Empty } from '../design/states';
import { ModelPicker } from './model-picker';
import styles from './playground.module.css';
import { TurnView } from './turn-view';
import type { UserTurn } from './turns';
import type { Conversation } from './use-conversation';

/**
 * One model and what is said with it. `onLeave` null: it cannot be taken away now; `onEdit` null: nothing can
 * be changed now, else it is told the turn and its place among all.
 */
export function Pane({
  label,
  models,
  model,
  onModel,
  onLeave,
  conversation,
  onCode,
  onEdit,
}: {
  label: string;
  models: ListedModel[];
  model: string;
  onModel: (id: string) => void;
  onLeave: (() => void) | null;
  conversation: Conversation;
  onCode: () => void;
  onEdit: ((place: number, turn: UserTurn) => void) | null;
}) {
  const end = useStickyEnd(conversation.turns);
  const pricing = models.find(({ id }) => id === model)?.pricing ?? null;
  return (
    <section className={styles.pane} aria-label={label}>
      <header className={styles.paneHead}>
        <ModelPicker label={label} models={models} value={model} onChange={onModel} />
        <span className={styles.paneActions}>
          <Button size="small" tone="quiet" onClick={onCode}>
            As code
          </Button>
          {onLeave && <IconButton size="small" icon="close" label={`Take ${model} away`} onClick={onLeave} />}
        </span>
      </header>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <div ref={end} className={styles.turns} tabIndex={0} role="log" aria-label={`Conversation with ${model}`}>
        {conversation.turns.length === 0 && (
          <Empty icon="message" title="Say something">
            The answer streams in here, with its tokens, cost and times.
          </Empty>
        )}
        {conversation.turns.map((turn, place) => (
          <TurnView
            key={place}
            turn={turn}
            last={place === conversation.turns.length - 1}
            pricing={pricing}
            onResults={conversation.send}
            onEdit={onEdit && turn.kind === 'user' ? () => onEdit(place, turn) : null}
            onRetry={conversation.running ? null : conversation.retry}
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
