import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { setGuardrail, tryGuardrails } from '../api/guardrails';
import type { GuardrailSide, TriedGuardrails } from '../api/guardrails';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { TextArea, TextField } from '../design/field';
import { Note } from '../design/note';
import { formatCount } from '../format/number';
import styles from './admin.module.css';
import { DraftFieldset } from './draft-fields';
import { noDraft, toDraft, toGuardrail, type DraftFields } from './guardrail-draft';

/**
 * A box to try guardrails, those in force or one that is not (`draft`), which may be put in force: they look
 * through a text in the way of requests, and nothing of it is kept.
 */
export function TryGuardrails({
  draft,
  onDraft: setDraft,
  isThere,
}: {
  draft: DraftFields | null;
  onDraft: (draft: DraftFields | null) => void;
  isThere: (id: string) => boolean;
}) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [side, setSide] = useState<GuardrailSide>('input');
  const [model, setModel] = useState('');
  const [keyId, setKeyId] = useState('');
  const [tried, setTried] = useState<TriedGuardrails | null>(null);
  const { run, busy, problem } = useAction(async () => {
    const named = draft === null && {
      ...(model.trim() && { model: model.trim() }),
      ...(keyId.trim() && { keyId: keyId.trim() }),
    };
    setTried(await tryGuardrails({ text, side, ...named, ...(draft && { draft: toDraft(draft) }) }));
  });
  const saving = useAction(async () => {
    const guardrail = toGuardrail(draft ?? noDraft);
    await setGuardrail(guardrail, !isThere(guardrail.id));
    await client.invalidateQueries({ queryKey: ['admin'] });
    setDraft(null);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return (
    <Card title="Try them" hint="The text is looked through as in a request. It is not counted, logged or kept.">
      <form className={styles.form} onSubmit={submit}>
        <Choice
          label="Which"
          options={[
            ['all', 'Those in force'],
            ['draft', draft && isThere(draft.id) ? 'One that is changed, alone' : 'A new one, alone'],
          ]}
          value={draft ? 'draft' : 'all'}
          onChange={(next) => setDraft(next === 'draft' ? noDraft : null)}
        />
        {draft && <DraftFieldset fields={draft} onChange={setDraft} />}
        <Choice
          label="As what"
          options={[
            ['input', 'As a request'],
            ['output', 'As an answer'],
          ]}
          value={side}
          onChange={setSide}
        />
        <TextArea
          label="Text"
          rows={5}
          required
          maxLength={10_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {draft === null && (
          <div className={styles.limit}>
            <TextField
              label="Model"
              optional
              hint="Without one, as if each held for every model."
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
            <TextField
              label="Key id"
              optional
              hint="Without one, as if each held for every key."
              value={keyId}
              onChange={(event) => setKeyId(event.target.value)}
            />
          </div>
        )}
        <span>
          <Button type="submit" tone="primary" disabled={busy || text === ''}>
            {busy ? 'Looking…' : 'Try'}
          </Button>{' '}
          {draft && (
            <Button busy={saving.busy} disabled={draft.id.trim() === ''} onClick={() => void saving.run()}>
              Put it in force
            </Button>
          )}
        </span>
      </form>
      <div role="status" aria-label="What guardrails would do">
        {saving.problem !== null && <Note tone="bad" title={saving.problem} />}
        {problem !== null && <Note tone="bad" title={problem} />}
        {problem === null && tried && <Outcome tried={tried} />}
      </div>
    </Card>
  );
}

function Outcome({ tried: { holding, findings, blockedBy, goesOn } }: { tried: TriedGuardrails }) {
  const held = `${formatCount(holding)} ${holding === 1 ? 'guardrail holds' : 'guardrails hold'} for it.`;
  const title = blockedBy === null ? 'It goes on' : `It is blocked by ${blockedBy}`;
  return (
    <Note tone={blockedBy === null ? 'good' : 'warn'} title={title}>
      <p>{findings.length === 0 ? `${held} Nothing is found.` : held}</p>
      {findings.length > 0 && (
        <ul className={styles.status} aria-label="Findings">
          {findings.map(({ guardrail, action }) => (
            <li key={guardrail}>
              <Badge>
                {guardrail}: {action}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {goesOn !== null && findings.length > 0 && <p className={styles.lines}>{goesOn}</p>}
    </Note>
  );
}
