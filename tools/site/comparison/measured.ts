/** When and how the gateways were measured beside one another, by `npm run bench:peers`. */
export const measuredOn = '2026-11-27';

/** One figure of the same run; those of which Tollgate has the worst come first. */
interface MeasuredRow {
  what: string;
  Tollgate: string;
  Portkey: string;
  LiteLLM: string;
}

/** As docs/performance.md has them, whose table tells all. */
export const measured: readonly MeasuredRow[] = [
  {
    what: 'memory at rest; at most, MB',
    ...{ Tollgate: '709; 879, with Postgres and nats-server', Portkey: '39; 167', LiteLLM: '343; 438' },
  },
  {
    what: 'CPU of a request at 200 requests/s, µs',
    ...{ Tollgate: '3,856', Portkey: '1,803', LiteLLM: '11,469, at 86/s: it did not keep up' },
  },
  {
    what: 'median; 99th percentile at 200 requests/s, ms',
    ...{ Tollgate: '2.61; 8.40', Portkey: '2.13; 8.32', LiteLLM: 'none: it did not keep up' },
  },
  {
    what: 'CPU of a chunk, 64 streams, µs',
    ...{ Tollgate: '171', Portkey: '143', LiteLLM: '848' },
  },
  {
    what: 'first chunk of a stream, median of 64, ms',
    ...{ Tollgate: '37', Portkey: '64', LiteLLM: '1,356' },
  },
  {
    what: 'requests/s, 32 connections',
    ...{ Tollgate: '1,429', Portkey: '839', LiteLLM: '80, one worker' },
  },
];
