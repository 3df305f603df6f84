import { cellsIn } from '../../prove/write-page';
import type { Measurement } from '../measurement';
import { peerFigures, type PeerFigures, type PeerMeasurements } from './peer-figures';
import { peersReport, type PeerLine } from './peers-report';

const on = { keys: 'yes', limits: 'no', metering: 'no', database: 'no' };
const nothing = { requests: 0, errors: 0, firstError: null, chunks: 0, elapsedS: 2 };

/** A measurement whose way has two processes, which use the CPU and memory in equal parts. */
function measured(load: Partial<Measurement['load']>, cpuUs = 0, memoryBytes = 0): Measurement {
  const times = { p50: 0, p95: 0, p99: 0 };
  const half = { cpuUs: cpuUs / 2, memoryBytes: memoryBytes / 2 };
  const costs = new Map([
    ['one', half],
    ['other', half],
  ]);
  return { load: { ...nothing, latencyMs: times, firstByteMs: times, ...load }, costs };
}

const times = (p50: number, p99: number) => ({ p50, p95: p50, p99 });

const raw: PeerMeasurements = {
  idleBytes: 40e6,
  saturated: [measured({ requests: 20_000 }, 1_000_000), measured({ requests: 30_000 }, 1_800_000)],
  paced: [measured({ requests: 400, latencyMs: times(0.5, 4) }, 40_000, 50e6)],
  streams: [measured({ requests: 64, chunks: 6_400, firstByteMs: times(0.6, 2) }, 128_000)],
};

const slow: PeerMeasurements = {
  idleBytes: 400e6,
  saturated: [measured({ requests: 140 }, 2_000_000)],
  paced: [measured({ requests: 400, elapsedS: 6, latencyMs: times(2_000, 4_000) }, 6_000_000)],
  streams: [measured({ requests: 64, chunks: 6_400, firstByteMs: times(60, 90) }, 1_280_000)],
};

const lineOf = (name: string, measurements: PeerMeasurements): PeerLine => ({
  name,
  on,
  figures: peerFigures(measurements),
});

/** The cells of a line of the second table, by their heads. */
function cellsOf(report: string, name: string): Record<string, string> {
  const rows = cellsIn(report.split('\n\n')[1] ?? '');
  const row = rows.find(([first]) => first === name) ?? [];
  return Object.fromEntries((rows[0] ?? []).map((head, index) => [head, row[index] ?? '']));
}

it('takes medians over the rounds, and adds up the processes of a way', () => {
  expect(peerFigures(raw)).toEqual<PeerFigures>({
    requestsPerS: 12_500,
    cpuUsPerRequest: 55,
    p50Ms: 0.5,
    p99Ms: 4,
    pacedCpuUsPerRequest: 100,
    answeredPerS: 200,
    cpuUsPerChunk: 20,
    firstChunkMs: 0.6,
    idleBytes: 40e6,
    mostBytes: 50e6,
    errors: 0,
    firstError: null,
  });
});

it('tells what each has switched on, and multiples of the raw proxy of the same run', () => {
  const report = peersReport([lineOf('raw proxy', raw), lineOf('slow', slow)]);
  expect(cellsIn(report.split('\n\n')[0] ?? '')[3]).toEqual(['slow', 'yes', 'no', 'no', 'no']);
  expect(cellsOf(report, 'slow')).toMatchObject({
    'requests/s, 32 connections': '70.0 (0.01x)',
    'CPU µs/request at 200/s': '15,000 (150.00x)',
    'CPU µs/chunk, 64 streams': '200 (10.00x)',
    'first chunk p50 ms': '60.0 (100.00x)',
    'memory idle MB': '400 (10.00x)',
  });
});

it('tells no times of one that did not keep up, since they would tell the length of the run', () => {
  const cells = cellsOf(peersReport([lineOf('raw proxy', raw), lineOf('slow', slow)]), 'slow');
  expect(cells).toMatchObject({ 'p50 ms at 200/s': 'did not keep up: 66.7/s', 'p99 ms': '-' });
});

it('says in one line of the table why one is not in it', () => {
  const absent = { name: 'LiteLLM', on, absent: 'no such\n  package | or Python' };
  const report = peersReport([lineOf('raw proxy', raw), absent]);
  expect(cellsOf(report, 'LiteLLM')).toMatchObject({
    'requests/s, 32 connections': 'not here: no such package or Python',
    'memory most MB': '',
  });
});

it('tells of failures, and shows no figure where nothing was answered', () => {
  const failing = measured({ errors: 3, firstError: 'status 500' }, 1_000);
  const broken = { idleBytes: 1e6, saturated: [failing], paced: [failing], streams: [failing] };
  const report = peersReport([lineOf('raw proxy', raw), lineOf('broken', broken)]);
  expect(cellsOf(report, 'broken')).toMatchObject({ 'CPU µs/request': '-', 'p50 ms at 200/s': '-' });
  expect(report).toContain('broken: 9 requests failed (status 500).');
});
