import { useId, useState } from 'react';
import { Link } from 'react-router';
import { z } from 'zod/mini';
import type { ReportScope } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Button, IconButton } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { useStored } from '../session/stored';
import styles from './requests.module.css';
import { givenViews, inRangeOf, searchOfView, withView } from './views';
import type { View } from './views';

const shape = z.array(z.object({ name: z.string(), search: z.string() }));
const none: View[] = [];

/** Ways to look at the log, each at its address: those that come with it, and one's own. */
export function SavedViews({ scope }: { scope: ReportScope }) {
  const [search] = useSearch();
  const [own, keep] = useStored(`views ${scope}`, shape, none);
  const [naming, setNaming] = useState(false);
  const now = searchOfView(search);
  const isKnown = [...givenViews, ...own].some((view) => view.search === now);
  const save = (name: string) => {
    keep((views) => withView(views, { name, search: now }));
    setNaming(false);
  };
  return (
    <nav className={styles.views} aria-label="Views">
      {givenViews.map((view) => (
        <ViewLink key={view.name} view={inRangeOf(search, view)} now={now} />
      ))}
      {own.map((view) => (
        <span key={view.name} className={styles.ownView}>
          <ViewLink view={view} now={now} />
          <IconButton
            size="small"
            icon="close"
            label={`Remove the view ${view.name}`}
            onClick={() => keep((views) => views.filter(({ name }) => name !== view.name))}
          />
        </span>
      ))}
      {!isKnown && (
        <Button size="small" tone="quiet" icon="plus" onClick={() => setNaming(true)}>
          Save this view
        </Button>
      )}
      <Dialog
        open={naming}
        onClose={() => setNaming(false)}
        title="Save this view"
        description="Its filters and its range, kept for you in this browser. Its address can be shared."
      >
        <NameForm onSave={save} onCancel={() => setNaming(false)} />
      </Dialog>
    </nav>
  );
}

function ViewLink({ view: { name, search }, now }: { view: View; now: string }) {
  return (
    <Link className={styles.view} to={{ search }} aria-current={search === now ? 'true' : undefined}>
      {name}
    </Link>
  );
}

function NameForm({ onSave, onCancel }: { onSave: (name: string) => void; onCancel: () => void }) {
  const [name, setName] = useState('');
  const id = useId();
  return (
    <form
      id={id}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) onSave(name.trim());
      }}
    >
      <TextField
        label="Name"
        placeholder="Failures of the search team"
        maxLength={40}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={!name.trim()}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}
