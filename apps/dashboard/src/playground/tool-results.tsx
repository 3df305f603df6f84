import { useState } from 'react';
import { Button } from '../design/button';
import { TextArea } from '../design/field';
import styles from './playground.module.css';
import type { ToolCall, ToolTurn } from './turns';

/** The model waits for what its tools answer: a person plays them. */
export function ToolResults({ calls, onSend }: { calls: ToolCall[]; onSend: (turn: ToolTurn) => void }) {
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
