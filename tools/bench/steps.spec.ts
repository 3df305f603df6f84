import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';
import { bytesOf, heapProfile, sharesOf, steps } from './steps';

const places = steps.flatMap(({ places: byProcess }) => Object.values(byProcess).flat());
const inFiles = places.filter((place) => /^(?:apps|libs|node_modules)\//.test(place));

it.each([...new Set(inFiles)])('a step looks for %s, which there is', (place) => {
  const [path = ''] = place.split(' ');
  const full = join(workspaceRoot, path);
  const isThere =
    existsSync(full) || readdirSync(dirname(full)).some((name) => join(dirname(full), name).startsWith(full));
  expect(isThere).toBe(true);
});

it('the budget of a request is four raw proxies', () => {
  expect(steps.reduce((sum, { budget }) => sum + budget, 0)).toBeCloseTo(4);
});

it('each place is that of one step in a process', () => {
  for (const process of ['edge', 'inference']) {
    const own = steps.flatMap(({ places: byProcess }) => byProcess[process] ?? []);
    expect(new Set(own).size).toBe(own.length);
  }
});

/** A profile in which these stacks, outermost frame first, were seen once each. */
function profileOf(...stacks: string[][]) {
  const nodes = stacks.flatMap((stack, at) =>
    stack.map((functionName, depth) => ({
      id: at * 100 + depth,
      callFrame: { functionName, url: '', lineNumber: 0, columnNumber: 0 },
      children: depth + 1 < stack.length ? [at * 100 + depth + 1] : [],
    })),
  );
  return { nodes, samples: stacks.map((stack, at) => at * 100 + stack.length - 1) };
}

it('a moment belongs to the step of the innermost frame that is of one, and idling to none', () => {
  const profile = profileOf(
    ['apps/edge/src/generation/answer.ts end', 'node:_http_outgoing end', 'writev'],
    ['libs/messaging/src/generation/client/edge-stream.ts receive', 'apps/edge/src/generation/generation.ts onEnd'],
    ['libs/messaging/src/generation/client/edge-stream.ts receive'],
    ['(garbage collector)'],
    ['(idle)'],
  );
  expect(sharesOf('edge', profile)).toEqual(
    new Map([
      ['answer', 0.5],
      ['frames', 0.25],
      ['other', 0.25],
    ]),
  );
});

it('of several places that fit a frame the longest counts', () => {
  const frame = (name: string) => ['node_modules/undici/lib/dispatcher/client-h1.js ' + name];
  expect(sharesOf('inference', profileOf(frame('writeH1'), frame('onBody')))).toEqual(
    new Map([
      ['upstream out', 0.5],
      ['upstream in', 0.5],
    ]),
  );
});

it('what is allocated belongs to the step of the function that does it, all else to other', () => {
  const node = (functionName: string, selfSize: number, children: object[] = []) => ({
    callFrame: { functionName, url: '', lineNumber: 0, columnNumber: 0 },
    selfSize,
    children,
  });
  const receive = 'libs/messaging/src/generation/client/edge-stream.ts receive';
  const head = node('(root)', 3, [node(receive, 100, [node('apps/edge/src/generation/generation.ts onEnd', 20)])]);
  expect(bytesOf('edge', heapProfile.parse({ head }))).toEqual(
    new Map([
      ['other', 3],
      ['frames', 100],
      ['answer', 20],
    ]),
  );
});
