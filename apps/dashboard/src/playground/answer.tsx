import { Suspense, lazy, useDeferredValue } from 'react';
import type { ListedModel } from '../api/catalog';
import { Button } from '../design/button';
import { CopyButton } from '../design/copy-button';
import { Note } from '../design/note';
import { AnswerFigures } from './answer-figures';
import styles from './playground.module.css';
import type { AssistantTurn } from './turns';

const MarkdownText = lazy(async () => ({ default: (await import('./markdown')).MarkdownText }));

/** `onRetry` null: it cannot be asked again now. */
export function Answer({
  answer,
  pricing,
  onRetry,
}: {
  answer: AssistantTurn;
  pricing: ListedModel['pricing'];
  onRetry: (() => void) | null;
}) {
  const text = useDeferredValue(answer.text);
  const running = answer.state === 'running';
  return (
    <div className={styles.answer} aria-busy={running}>
      {answer.reasoning && (
        <details className={styles.reasoning}>
          <summary>{running && !answer.text ? 'Thinking' : 'Thoughts'}</summary>
          <p>{answer.reasoning}</p>
        </details>
      )}
      {text && (
        <Suspense fallback={<p className={styles.plainText}>{text}</p>}>
          <MarkdownText text={text} />
        </Suspense>
      )}
      {running && !answer.text && !answer.toolCalls.length && (
        <span className={styles.waiting} role="status">
          <span className="visually-hidden">Waiting for the first token</span>
          <span aria-hidden="true" />
          <span aria-hidden="true" />
          <span aria-hidden="true" />
        </span>
      )}
      {answer.problem && <Note tone="bad">{answer.problem}</Note>}
      {answer.state === 'stopped' && <p className="muted small">Stopped. What was produced so far is billed.</p>}
      {!running && (
        <div className={styles.answerFoot}>
          <AnswerFigures measure={answer.measure} pricing={pricing} />
          <span className={styles.answerActions}>
            {onRetry && (
              <Button size="small" icon="refresh" onClick={onRetry}>
                Ask again
              </Button>
            )}
            {answer.text && <CopyButton text={answer.text} name="answer" />}
          </span>
        </div>
      )}
    </div>
  );
}
