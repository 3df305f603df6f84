import { Popover } from 'radix-ui';
import { useState } from 'react';
import type { ListedModel } from '../api/catalog';
import { Icon } from '../design/icon';
import { SearchList } from '../design/search-list';
import { formatCompact } from '../format/number';
import { priceOf } from '../models/model-facts';
import styles from './playground.module.css';

/** Every model that answers, by provider, with its price; found by a part of its name. */
export function ModelPicker({
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
