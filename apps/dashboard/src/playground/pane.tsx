import { Popover } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import type { ListedModel } from '../api/catalog';
import { Button, IconButton } from '../design/button';
import { Icon } from '../design/icon';
import { SearchList } from '../design/search-list';
import { Empty } from '../design/states';
import { formatCompact } from '../format/number';
import { priceOf } from '../models/model-facts';
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

/** Every model that answers, by provider, with its price; found by a part of its name. */
function ModelPicker({
  label,
  models,
  value,
  onChange,
}: {
  label: string;
  models: ListedModel[];
  value: string;
  onChange: (id: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const chosen = models.find(({ id }) => id === value);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={styles.picker}>
        <span className="visually-hidden">{`${label}: `}</span>
        <span className={styles.pickerName}>{chosen?.name ?? value}</span>
        <span className="muted small">{chosen && priceText(chosen)}</span>
        <Icon name="chevronDown" size={16} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={styles.pickerList}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
        >
          <SearchList
            label="Search models"
            options={byProvider(models).map(({ id, name, providerName, contextWindow, ...model }) => ({
              id,
              name,
              group: providerName,
              words: `${id} ${providerName}`,
              detail: [contextWindow === null ? null : formatCompact(contextWindow), priceText(model)]
                .filter(Boolean)
                .join(' · '),
            }))}
            nothing="No model that answers has that name."
            onChoose={({ id }) => {
              onChange(id);
              setOpen(false);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

const byProvider = (models: readonly ListedModel[]): ListedModel[] =>
  models.toSorted((one, other) => one.providerName.localeCompare(other.providerName));

/** Dollars for a million tokens, in and out. */
const priceText = ({ pricing }: Pick<ListedModel, 'pricing'>): string =>
  pricing ? `${priceOf(pricing.input)} / ${priceOf(pricing.output)}` : 'price unknown';
