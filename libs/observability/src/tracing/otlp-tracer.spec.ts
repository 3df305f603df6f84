import { fromTraceparent, toTraceparent } from './otlp-tracer';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it.each(['00', '01'])('is read and written again, with the flag %s', (flags) => {
    const text = `00-${traceId}-${spanId}-${flags}`;
    const context = fromTraceparent(text);
    expect(context).toEqual({ traceId, spanId, traceFlags: Number(flags), isRemote: true });
    expect(context && toTraceparent(context)).toBe(text);
  });

  it.each([
    ['', 'nothing'],
    [`01-${traceId}-${spanId}-01`, 'another version'],
    [`00-${'0'.repeat(32)}-${spanId}-01`, 'no trace'],
    [`00-${traceId}-${'0'.repeat(16)}-01`, 'no span'],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, 'capitals'],
    [`00-${traceId}-${spanId}-01-more`, 'more than there should be'],
  ])('%s is none: %s', (text) => {
    expect(fromTraceparent(text)).toBeNull();
  });
});
