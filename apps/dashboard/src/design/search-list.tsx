import { Fragment, useEffect, useId, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Icon } from './icon';
import type { IconName } from './icon';
import { rankOptions } from './rank-options';
import type { Option } from './rank-options';
import styles from './search-list.module.css';

/** `group`: the heading that it stands below. `detail` stands at its end. */
export interface ListedOption extends Option {
  group: string;
  icon?: IconName;
  detail?: ReactNode;
}

/** More than a screen holds; what is further down is found by typing more. */
const mostShown = 60;

/**
 * A field with the options that fit below it: arrows move, Enter chooses. `extra` makes options out of what
 * was typed, which come after those found.
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function SearchList<Found extends ListedOption>({
  label,
  options,
  extra,
  nothing,
  onChoose,
}: {
  label: string;
  options: readonly Found[];
  extra?: (typed: string) => Found[];
  nothing: string;
  onChoose: (option: Found) => void;
}) {
  const [typed, setTyped] = useState('');
  const [index, setIndex] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const shown = byGroup([...rankOptions(options, typed).slice(0, mostShown), ...(extra?.(typed.trim()) ?? [])]);
  const active = Math.min(index, shown.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active, typed]);
  const onKeyDown = (event: { key: string; preventDefault: () => void }) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setIndex((active + step + shown.length) % Math.max(1, shown.length));
    }
    const chosen = shown[active];
    if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      onChoose(chosen);
    }
  };
  return (
    <div className={styles.frame}>
      <div className={styles.field}>
        <Icon name="search" size={16} />
        <input
          // eslint-disable-next-line jsx-a11y/no-autofocus -- it is opened to be typed in
          autoFocus
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={shown[active] && `${id}-${active}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={label}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setIndex(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={styles.list}>
        {shown.map((option, number) => (
          <Fragment key={option.id}>
            {option.group !== shown[number - 1]?.group && (
              <div className={styles.group} role="presentation">
                {option.group}
              </div>
            )}
            {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the field has the focus and the keys */}
            <div
              id={`${id}-${number}`}
              role="option"
              aria-selected={number === active}
              className={styles.option}
              onPointerMove={() => setIndex(number)}
              onClick={() => onChoose(option)}
            >
              {option.icon && <Icon name={option.icon} size={16} />}
              <span className={styles.name}>{option.name}</span>
              {option.detail && <span className={styles.detail}>{option.detail}</span>}
            </div>
          </Fragment>
        ))}
      </div>
      {shown.length === 0 && (
        <p className={styles.nothing} role="status">
          {nothing}
        </p>
      )}
    </div>
  );
}

/** Groups in the order in which their first option came. */
function byGroup<Found extends ListedOption>(options: readonly Found[]): Found[] {
  const groups = new Map<string, Found[]>();
  for (const option of options) groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
  return [...groups.values()].flat();
}
