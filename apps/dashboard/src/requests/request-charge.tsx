import { useQuery } from '@tanstack/react-query';
import { isOnOwnKey } from '@tollgate/contracts';
import { hoursInWords } from '@tollgate/contracts/catalog';
import { chargeKindNames } from '@tollgate/contracts/metering';
import type { ChargeLine, ExplainedEvent } from '@tollgate/contracts/metering';
import { fetchCharge } from '../api/reports';
import type { ReportScope } from '../api/reports';
import { Badge } from '../design/badge';
import { Facts } from '../design/facts';
import { Loaded } from '../design/states';
import { formatExactMoney, formatPicoMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatDate } from '../format/time';
import { UnconfirmedPrice, usePriceDoubts } from '../models/price-doubts';
import { budgetFacts, quotaFacts } from './charge-facts';
import styles from './requests.module.css';

/** How the charge of a request came about: what was used, at which rate, line by line. */
export function RequestCharge({ eventId, scope }: { eventId: string; scope: ReportScope }) {
  const charge = useQuery({
    queryKey: ['charge', scope, eventId],
    queryFn: ({ signal }) => fetchCharge(eventId, scope, signal),
  });
  return (
    <section className={styles.section} aria-labelledby="request-charge">
      <h3 id="request-charge">Charge</h3>
      <Loaded query={charge} lines={2}>
        {(explained) => <Lines explained={explained} />}
      </Loaded>
    </section>
  );
}

function Lines({ explained }: { explained: ExplainedEvent }) {
  const { lines, price, hours, storedNanoUsd, computedNanoUsd, budgets, event } = explained;
  const doubt = usePriceDoubts().get(event.model);
  const told = event.usage.served?.toldNanoUsd;
  return (
    <>
      {lines.length > 0 && (
        <ul className={styles.lines}>
          {lines.map((line, number) => (
            <li key={`${number} ${line.kind}`}>
              <span>
                {line.unit ?? chargeKindNames[line.kind]}
                {line.model !== undefined && <code className="muted break"> {line.model}</code>}
              </span>
              <span className="number muted">{quantityOf(line)}</span>
              <span className="number">
                {line.amountPicoUsd === null ? 'No price' : formatPicoMoney(line.amountPicoUsd)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="muted break">
        {storedNanoUsd === null
          ? 'Unpriced: no price is known of something in it.'
          : `${formatExactMoney(storedNanoUsd)}, rounded once to the nano-dollar.`}{' '}
        {isOnOwnKey(event) && 'It went with a key that its account brought, which pays the provider. '}
        {price && `Price of ${formatDate(price.validFrom)} (${price.source}). `}
        {hours && `Its hour of the day is in the rates: ${hoursInWords(hours)}. `}
        {told !== undefined && `The provider says that it charges ${formatExactMoney(told)}.`}
      </p>
      {doubt && price && (
        <p>
          {doubt.oldSince && (
            <Badge tone="warn">{`The prices of this model were last taken from their source on ${doubt.oldSince}`}</Badge>
          )}{' '}
          <UnconfirmedPrice pricing={doubt} />
        </p>
      )}
      <Facts facts={[...quotaFacts(event), ...budgets.flatMap(budgetFacts)]} />
      {storedNanoUsd !== computedNanoUsd && computedNanoUsd !== null && (
        <p>
          <Badge tone="bad">{`Worked out again it is ${formatExactMoney(computedNanoUsd)}`}</Badge>
        </p>
      )}
    </>
  );
}

function quantityOf({ kind, tokens, ratePicoUsd, fraction }: ChargeLine): string {
  if (fraction !== undefined) return `${fraction} of the above`;
  if (ratePicoUsd === null) return formatCount(tokens);
  const isEach = kind === 'request' || kind === 'unit';
  // Pico-dollars for a token are micro-dollars for a million.
  const rate = isEach
    ? `${formatPicoMoney(ratePicoUsd)} each`
    : `${formatPicoMoney(`${ratePicoUsd}000000`)} per million`;
  return `${formatCount(tokens)} at ${rate}`;
}
