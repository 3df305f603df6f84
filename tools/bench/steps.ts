import { z } from 'zod';
import { callFrame, namer } from './source-names';

/**
 * Where the time of a request goes in one process: beginnings of the names of frames (see `namer`), the
 * nearest one to the top of the stack decides.
 */
type Places = Readonly<Record<string, readonly string[]>>;

/**
 * A part of the way of a request. `budget`: what it may cost, as a multiple of the raw proxy. `places`: by
 * process; none: a process that counts whole.
 */
export interface Step {
  readonly name: string;
  readonly budget: number;
  readonly places: Places;
}

const client = 'libs/messaging/src/generation/client/';
const server = 'libs/messaging/src/generation/server/';
const nats = 'node_modules/nats/';
/** The way out of NATS' client; all else of it is the way in. */
const natsOut = ['node_transport.js _send', 'node_transport.js send'].map((call) => `${nats}lib/src/${call}`);
natsOut.push(
  ...['databuffer.js', 'headers.js', 'protocol.js publish'].map((file) => `${nats}lib/nats-base-client/${file}`),
);
natsOut.push(...['sendCommand', 'flushPending'].map((call) => `${nats}lib/nats-base-client/protocol.js ${call}`));
const sealing = 'libs/messaging/src/sealing';
const frame = 'libs/messaging/src/generation/frame';

/**
 * The budget of a request, 4 raw proxies in all. What no place claims of a process is `other`: collections,
 * the event loop, timers.
 */
export const steps: readonly Step[] = [
  {
    name: 'accept',
    budget: 0.3,
    places: {
      edge: [
        'apps/edge/src/http/',
        'node:_http_server',
        'node:_http_incoming',
        'node:_http_common',
        'apps/edge/src/generation/generation-routes',
      ],
    },
  },
  {
    name: 'read',
    budget: 0.2,
    places: {
      edge: [
        'apps/edge/src/generation/read-body',
        'apps/edge/src/generation/request-',
        'apps/edge/src/generation/sent-request',
        'apps/edge/src/response-cache/',
        'apps/edge/src/content-log/',
        'libs/dialects/',
      ],
    },
  },
  {
    name: 'admit',
    budget: 0.15,
    places: {
      edge: [
        'apps/edge/src/admission/',
        'apps/edge/src/callers/',
        'apps/edge/src/catalog/',
        'apps/edge/src/generation/reservations',
      ],
    },
  },
  {
    name: 'hop out',
    budget: 0.3,
    places: {
      edge: [
        client,
        `${frame}-post`,
        ...natsOut,
        'libs/messaging/src/generation/request-envelope',
        'apps/edge/src/generation/served-request',
        'libs/messaging/src/connection/',
      ],
    },
  },
  {
    name: 'hop in',
    budget: 0.2,
    places: {
      inference: [
        `${server}nats-generation-server`,
        `${server}call-registry`,
        `${server}arrivals`,
        'libs/messaging/src/generation/request-envelope',
        'libs/messaging/src/generation/frame-json',
        'node_modules/zod/',
        nats,
      ],
    },
  },
  {
    name: 'plan',
    budget: 0.1,
    places: {
      inference: [
        'apps/inference/src/routing/',
        'apps/inference/src/health/',
        'apps/inference/src/generation/attempt-runner',
        'apps/inference/src/generation/generation-',
      ],
    },
  },
  {
    name: 'upstream out',
    budget: 0.25,
    places: {
      inference: [
        'apps/inference/src/upstream/upstream-pools',
        'apps/inference/src/upstream/provider-endpoint',
        'apps/inference/src/generation/attempt-order',
        'node_modules/undici/lib/dispatcher/',
        'node_modules/undici/lib/dispatcher/client-h1.js write',
      ],
    },
  },
  {
    name: 'upstream in',
    budget: 0.2,
    places: {
      inference: [
        'apps/inference/src/upstream/',
        'apps/inference/src/generation/upstream-attempt',
        'libs/messaging/src/memory/read-turns',
        'node_modules/undici/',
        'node_modules/undici/lib/dispatcher/client-h1.js',
        'wasm:',
      ],
    },
  },
  { name: 'translate', budget: 0.15, places: { inference: ['libs/dialects/'] } },
  {
    name: 'frames',
    budget: 0.3,
    places: {
      edge: [`${client}edge-stream`, `${client}nats-generation-client receive`, frame, sealing, nats],
      inference: [server, frame, ...natsOut, sealing, 'apps/inference/src/generation/caller-answer'],
    },
  },
  {
    name: 'answer',
    budget: 0.3,
    places: {
      edge: ['apps/edge/src/generation/', 'node:_http_outgoing'],
    },
  },
  {
    name: 'event',
    budget: 0.1,
    places: {
      inference: [
        'libs/messaging/src/usage/usage-',
        'libs/messaging/src/usage/stored-lately',
        'apps/inference/src/usage/',
        'libs/contracts/',
      ],
    },
  },
  {
    name: 'journal',
    budget: 0.05,
    places: { inference: ['libs/messaging/src/usage/journal/', `${server}unfinished-usage`] },
  },
  {
    name: 'metrics',
    budget: 0.05,
    places: { edge: metricsOf('edge/src/edge-metrics'), inference: metricsOf('inference/src/metrics/') },
  },
  { name: 'other', budget: 0.35, places: { edge: [], inference: [] } },
  { name: 'store', budget: 0.55, places: { nats: [] } },
  { name: 'settle', budget: 0.45, places: { metering: [], postgres: [], accounts: [], catalog: [] } },
];

function metricsOf(folder: string): string[] {
  return [`apps/${folder}`, 'node_modules/prom-client/'];
}

/**
 * What is read of a profile of V8.
 * https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
 */
export const cpuProfile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame, children: z.array(z.number()).default([]) })),
  samples: z.array(z.number()),
});
type CpuProfile = z.infer<typeof cpuProfile>;

/**
 * What is read of a profile of its allocations, in bytes.
 * https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfileNode
 */
const heapNode = z.object({
  callFrame,
  selfSize: z.number(),
  get children() {
    return z.array(heapNode);
  },
});
export const heapProfile = z.object({ head: heapNode });
type HeapNode = z.infer<typeof heapNode>;

/** How the samples of a process that were no idling are spread over steps: shares, 1 in all. */
export function sharesOf(process: string, { nodes, samples }: CpuProfile, nameOf = namer()): Map<string, number> {
  const parents = new Map(nodes.flatMap(({ id, children }) => children.map((child) => [child, id] as const)));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const stepOfNode = new Map<number, string | null>();
  const counts = new Map<string, number>();
  let all = 0;
  for (const id of samples) {
    let step = stepOfNode.get(id);
    if (step === undefined) stepOfNode.set(id, (step = stepOf(process, stackOf(id, parents, frames))));
    if (step === null) continue;
    counts.set(step, (counts.get(step) ?? 0) + 1);
    all++;
  }
  return new Map([...counts].map(([step, count]) => [step, count / all]));
}

/** How many bytes a process allocated in each step. */
export function bytesOf(process: string, { head }: z.infer<typeof heapProfile>, nameOf = namer()): Map<string, number> {
  const bytes = new Map<string, number>();
  const add = ({ callFrame: frame, selfSize, children }: HeapNode, outer: readonly string[]): void => {
    const stack = [nameOf(frame), ...outer];
    const step = selfSize > 0 ? (stepOf(process, stack) ?? 'other') : 'other';
    bytes.set(step, (bytes.get(step) ?? 0) + selfSize);
    for (const child of children) add(child, stack);
  };
  add(head, []);
  return bytes;
}

function stackOf(id: number, parents: ReadonlyMap<number, number>, frames: ReadonlyMap<number, string>): string[] {
  const stack: string[] = [];
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.push(frames.get(at) ?? '');
  return stack;
}

/**
 * The step that a stack, innermost frame first, belongs to; null: nothing was done. Of several beginnings
 * that fit a frame the longest counts.
 */
function stepOf(process: string, stack: readonly string[]): string | null {
  if (stack[0] === '(idle)') return null;
  for (const frame of stack) {
    let best = '';
    let found: string | null = null;
    for (const { name, places } of steps)
      for (const place of places[process] ?? [])
        if (frame.startsWith(place) && place.length > best.length) [best, found] = [place, name];
    if (found !== null) return found;
  }
  return 'other';
}
