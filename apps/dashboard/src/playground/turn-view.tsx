import { useState } from 'react';
import type { ListedModel } from '../api/catalog';
import { Button } from '../design/button';
import { TextArea } from '../design/field';
import { Answer } from './answer';
import { FileList } from './file-list';
import styles from './playground.module.css';
import type { ToolCall, ToolTurn, Turn } from './turns';

export function TurnView({
  turn,
  last,
  pricing,
  onResults,
  onEdit,
  onRetry,
}: {
  turn: Turn;
  last: boolean;
  pricing: ListedModel['pricing'];
  onResults: (turn: ToolTurn) => void;
  onEdit: (() => void) | null;
  onRetry: (() => void) | null;
}) {
  if (turn.kind === 'user')
    return (
      <div className={styles.asked}>
        <div className={styles.user}>
          {turn.text}
          {turn.images.length > 0 && (
            <div className={styles.images}>
              {turn.images.map((url, number) => (
                <img key={number} src={url} alt={`Attached file ${number + 1}`} />
              ))}
            </div>
          )}
          <FileList files={turn.files ?? []} />
        </div>
        {onEdit && (
          <Button size="small" tone="quiet" onClick={onEdit}>
            Edit
          </Button>
        )}
      </div>
    );
  if (turn.kind === 'tool')
    return (
      <div className={styles.toolTurn}>
        {turn.results.map(({ id, content }) => (
          <pre key={id} className="break">
            {content}
          </pre>
        ))}
      </div>
    );
  const waitsForTools = last && turn.state === 'done' && turn.toolCalls.length > 0;
  return (
    <div>
      {turn.toolCalls.length > 0 && <ToolCalls calls={turn.toolCalls} />}
      <Answer answer={turn} pricing={pricing} onRetry={last ? onRetry : null} />
      {waitsForTools && <ToolResults calls={turn.toolCalls} onSend={onResults} />}
    </div>
  );
}

function ToolCalls({ calls }: { calls: ToolCall[] }) {
  return (
    <ul className={styles.calls}>
      {calls.map(({ id, name, args }) => (
        <li key={id}>
          <span className="muted small">Wants to call</span> <code>{name}</code>
          <pre className="break">{prettyJson(args)}</pre>
        </li>
      ))}
    </ul>
  );
}

/** As the model wrote it, where it is no JSON (yet). */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The model waits for what its tools answer: a person plays them. */
function ToolResults({ calls, onSend }: { calls: ToolCall[]; onSend: (turn: ToolTurn) => void }) {
  const [contents, setContents] = useState<Record<string, string>>({});
  const contentOf = (id: string) => contents[id] ?? '{"ok": true}';
  return (
    <form
      className={styles.tools}
      onSubmit={(event) => {
        event.preventDefault();
        onSend({ kind: 'tool', results: calls.map(({ id }) => ({ id, content: contentOf(id) })) });
      }}
    >
      {calls.map(({ id, name }) => (
        <TextArea
          key={id}
          label={`Result of ${name}`}
          code
          rows={2}
          value={contentOf(id)}
          onChange={(event) => setContents({ ...contents, [id]: event.target.value })}
        />
      ))}
      <Button type="submit" size="small" tone="primary">
        Send the results
      </Button>
    </form>
  );
}
