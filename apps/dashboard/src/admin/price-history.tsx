import { fetchFactorHistory, fetchPriceHistory, withdrawFactors, withdrawPrice } from '../api/prices';
import { factorsText, sheetText } from './price-text';
import { SetHistory } from './set-history';

/** Every price that was set, and the way to take one back that is still to come. */
export function PriceHistory() {
  return (
    <SetHistory
      title="History of prices"
      label="Prices that were set"
      nothing="No price was ever set here"
      queryKey={['admin', 'prices', 'history']}
      fetch={fetchPriceHistory}
      withdraw={withdrawPrice}
      of={{ header: 'Model', text: ({ model }) => model }}
      what={{ header: 'Price', text: ({ prices }) => (prices ? sheetText(prices) : 'what it costs otherwise') }}
      name={({ model }) => `the price of ${model}`}
      goesOn="The price before it goes on."
    />
  );
}

/** Every discount and markup that was set, and the way to take back what is still to come. */
export function FactorHistory() {
  return (
    <SetHistory
      title="History of discounts and markups"
      label="Discounts and markups that were set"
      nothing="No discount or markup was ever set here"
      queryKey={['admin', 'price factors', 'history']}
      fetch={fetchFactorHistory}
      withdraw={withdrawFactors}
      of={{ header: 'Deployment', text: ({ deployment }) => deployment }}
      what={{ header: 'Beside the price', text: ({ factors }) => factorsText(factors) }}
      name={({ deployment }) => `what ${deployment} is to have`}
      goesOn="What holds before it goes on."
    />
  );
}
