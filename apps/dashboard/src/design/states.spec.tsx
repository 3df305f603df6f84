import { renderToStaticMarkup } from 'react-dom/server';
import { Loaded } from './states';

const drawn = (failureCount: number) => {
  const query = { data: undefined, error: null, failureCount, refetch: () => undefined };
  return renderToStaticMarkup(<Loaded query={query}>{() => null}</Loaded>);
};

describe('what is on its way', () => {
  it('keeps what stands below it out of sight, until it was asked for in vain', () => {
    expect(drawn(0)).toContain('aria-label="Loading" data-moves=""');
    expect(drawn(1)).toContain('aria-label="Loading"');
    expect(drawn(1)).not.toContain('data-moves');
  });
});
