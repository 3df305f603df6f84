/**
 * Which budgets a list looks at, where it is not all of them; null: it is. `near`: those near the limit of
 * everybody or of one account, null: no matter how near. `count`: how many are at hand; `isMore`: there are
 * others.
 */
export function shownWords({
  near,
  count,
  isMore,
}: {
  near: 'everybody' | 'account' | null;
  count: number;
  isMore: boolean;
}): string | null {
  if (near === 'account') return 'Four fifths are spent or reserved.';
  if (near === 'everybody')
    return `Four fifths are spent, or a request was refused; without those that each name has alone.${
      isMore ? ` These are the first ${count}.` : ''
    }`;
  return isMore ? `The newest ${count} are sorted and searched; "Show more" brings older ones.` : null;
}
