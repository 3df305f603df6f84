import { Link } from 'react-router';
import type { ListedModel } from '../api/catalog';
import { Badge } from '../design/badge';
import { formatMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatDuration } from '../format/time';
import { UnconfirmedPrice } from '../models/price-doubts';
import { answerCost } from './answer-cost';
import styles from './playground.module.css';
import type { Measure } from './turns';

/** What an answer took. The cost is by the price list; the request log has the charge. */
export function AnswerFigures({ measure, pricing }: { measure: Measure; pricing: ListedModel['pricing'] }) {
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
