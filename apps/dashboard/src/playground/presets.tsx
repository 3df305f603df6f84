import { useId, useState } from 'react';
import { z } from 'zod/mini';
import { Button, IconButton } from '../design/button';
import { Dialog } from '../design/dialog';
import { TextField } from '../design/field';
import { useStored } from '../session/stored';
import { setupShape } from './kept-conversations';
import styles from './playground.module.css';
import type { Setup } from './request-body';

const shape = z.array(z.object({ name: z.string(), setup: setupShape }));
const none: { name: string; setup: Setup }[] = [];

/** Settings under names, kept for the person in this browser. */
export function Presets({ setup, onChoose }: { setup: Setup; onChoose: (setup: Setup) => void }) {
  const [presets, change] = useStored('presets', shape, none);
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const id = useId();
  return (
    <>
      <Button size="small" icon="layers" onClick={() => setOpen(true)}>
        Presets
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Presets"
        description="The system prompt, parameters, tools and schema under a name, kept for you in this browser."
      >
        <ul className={styles.kept}>
          {presets.map((preset) => (
            <li key={preset.name}>
              <button
                type="button"
                className={styles.keptOpen}
                onClick={() => {
                  onChoose(preset.setup);
                  setOpen(false);
                }}
              >
                <span className="break">{preset.name}</span>
                <span className="muted small">{preset.setup.system.slice(0, 80) || 'No system prompt'}</span>
              </button>
              <IconButton
                size="small"
                icon="trash"
                label={`Remove the preset ${preset.name}`}
                onClick={() => change((all) => all.filter((one) => one.name !== preset.name))}
              />
            </li>
          ))}
        </ul>
        <form
          id={id}
          className={styles.presetForm}
          onSubmit={(event) => {
            event.preventDefault();
            const called = name.trim();
            if (!called) return;
            change((all) => [...all.filter((one) => one.name !== called), { name: called, setup }]);
            setName('');
          }}
        >
          <TextField
            label="Keep the settings as they are now under this name"
            maxLength={40}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" tone="primary" disabled={!name.trim()}>
            Keep
          </Button>
        </form>
      </Dialog>
    </>
  );
}
