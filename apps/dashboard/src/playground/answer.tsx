import { lazy, Suspense, useDeferredValue } from 'react';
import { Link } from 'react-router';
import type { ListedModel } from '../api/catalog';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { CopyButton } from '../design/copy-button';
import { Note } from '../design/note';
import { formatMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatDuration } from '../format/time';
import { UnconfirmedPrice } from '../models/price-doubts';
import { answerCost } from './answer-cost';
import styles from './playground.module.css';
import type { AssistantTurn, Measure } from './turns';

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

/** What an answer took. The cost is by the price list; the request log has the charge. */
function AnswerFigures({ measure, pricing }: { measure: Measure; pricing: ListedModel['pricing'] }) {
  const { firstTokenMs, totalMs, inputTokens, outputTokens, requestId, simulated } = measure;
  const cost = answerCost(measure, pricing);
  return (
    <ul className={styles.figures} aria-label="Figures of this answer">
      {simulated && (
        <li>
          <Badge tone="warn">simulated</Badge>
        </li>
      )}
      {inputTokens !== null && outputTokens !== null && (
        <li>
          {formatCount(inputTokens)} in, {formatCount(outputTokens)} out
        </li>
      )}
      {cost !== null && (
        <li title="By the price list">
          {formatMoney(cost)} <UnconfirmedPrice pricing={pricing} />
        </li>
      )}
      {firstTokenMs !== null && <li>first token {formatDuration(firstTokenMs)}</li>}
      {totalMs !== null && <li>total {formatDuration(totalMs)}</li>}
      {requestId && (
        <li>
          <Link to={`/requests?requestId=${encodeURIComponent(requestId)}`}>in the log</Link>
        </li>
      )}
    </ul>
  );
}
