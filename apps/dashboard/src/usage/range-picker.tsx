import { useId, useState } from 'react';
import { Button } from '../design/button';
import { Choice } from '../design/choice';
import { Dialog, DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { toLocalInput } from './range';
import type { Range, RangeName } from './range';
import styles from './usage.module.css';

const options: [RangeName, string][] = [
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', '30 days'],
  ['calendar', 'This month'],
  ['custom', 'Custom'],
];

export function RangePicker({ range, onChange }: { range: Range; onChange: (range: Range) => void }) {
  const [open, setOpen] = useState(false);
  const choose = (name: RangeName) => (name === 'custom' ? setOpen(true) : onChange({ ...range, name }));
  return (
    <>
      <Choice label="Time range" options={options} value={range.name} onChange={choose} />
      {range.name === 'custom' && (
        <Button size="small" onClick={() => setOpen(true)}>
          Change the range
        </Button>
      )}
      <Dialog open={open} onClose={() => setOpen(false)} title="Custom range" description="In your own time zone.">
        <CustomRange
          range={range}
          onDone={(chosen) => {
            setOpen(false);
            if (chosen) onChange(chosen);
          }}
        />
      </Dialog>
    </>
  );
}

function CustomRange({ range, onDone }: { range: Range; onDone: (range: Range | null) => void }) {
  const [from, setFrom] = useState(toLocalInput(range.from));
  const [to, setTo] = useState(toLocalInput(range.to));
  const id = useId();
  const chosen: Range = { name: 'custom', from: new Date(from).getTime(), to: new Date(to).getTime() };
  const usable = chosen.to > chosen.from;
  return (
    <form
      id={id}
      className={styles.custom}
      onSubmit={(event) => {
        event.preventDefault();
        if (usable) onDone(chosen);
      }}
    >
      <TextField label="From" type="datetime-local" value={from} onChange={(event) => setFrom(event.target.value)} />
      <TextField
        label="To"
        type="datetime-local"
        value={to}
        error={usable ? undefined : 'The end must come after the beginning.'}
        onChange={(event) => setTo(event.target.value)}
      />
      <DialogActions>
        <Button onClick={() => onDone(null)}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={!usable}>
          Show
        </Button>
      </DialogActions>
    </form>
  );
}
