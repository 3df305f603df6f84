import type { ListedModel } from '../api/catalog';
import { Button } from '../design/button';
import { Answer } from './answer';
import { FileList } from './file-list';
import styles from './playground.module.css';
import { ToolCalls } from './tool-calls';
import { ToolResults } from './tool-results';
import type { ToolTurn, Turn } from './turns';

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
