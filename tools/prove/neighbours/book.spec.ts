import { readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../../stack/workspace-root';
import { attacks } from './attacks';
import { Book } from './book';
import { neighboursReport } from './neighbours-report';
import type { Neighbour } from './prove-neighbours';
import { buildOf } from './run';
import { promised } from './verdict';

const play = { build: 'abc', rounds: 3, roundMs: 2_000, perSecond: 100, bounds: promised };
const round = { requests: 200, failures: {}, rerouted: 0, p99Ms: 9, directP99Ms: 4 };
const neighbour = (attack: string, problems: string[] = []): Neighbour => ({
  attack,
  endings: { '200': 1 },
  never: /^5/,
  alone: [round],
  beside: [round],
  gatewayShare: 0.5,
  cores: { gateway: 0.5, provider: 0.1, attacker: 0.3, victim: 0.1 },
  standstills: [],
  memory: [],
  restarted: [],
  wellAfterMs: 1,
  problems,
});
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tollgate-book-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('goes on where a run was broken off, with what that one saw', () => {
  const path = join(folder, 'book');
  const first = new Book(path, play);
  first.add(neighbour('one'));
  first.add(neighbour('two', ['2 of 200 failed beside it: 503']));
  const second = new Book(path, play);
  expect(['one', 'two', 'three'].map((attack) => second.has(attack))).toEqual([true, true, false]);
  expect(second.all).toEqual(first.all.map((one) => ({ ...one, never: null })));
});

it('takes nothing over from a run that was played otherwise', () => {
  const path = join(folder, 'book');
  new Book(path, play).add(neighbour('one'));
  expect(() => new Book(path, { ...play, rounds: 1 })).toThrow(/other options/);
  expect(() => new Book(path, { ...play, build: 'def' })).toThrow(/another build/);
});

it('plays again what was being written when a run was killed', () => {
  const path = join(folder, 'book');
  const first = new Book(path, play);
  first.add(neighbour('one'));
  first.add(neighbour('two'));
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -10));
  const second = new Book(path, play);
  expect(second.all.map(({ attack }) => attack)).toEqual(['one']);
  second.add(neighbour('two'));
  expect(new Book(path, play).all.map(({ attack }) => attack)).toEqual(['one', 'two']);
});

it('names the commit, or says that there is none', () => {
  expect(buildOf(folder)).toBe('unknown');
  expect(buildOf(workspaceRoot)).toMatch(/^[0-9a-f]{40}(-dirty)?$|^unknown$/);
});

it('is proved by every kind that there is, not by as many', () => {
  const all = attacks.map(({ name }) => neighbour(name));
  expect(neighboursReport(all, play)).toMatch(/build: abc\n(?:.*\n){3}Proved: /);
  expect(neighboursReport([...all.slice(1), neighbour('one of before')], play)).toMatch(/Holds for these kinds\.$/);
});

it('keeps nothing where no file is named', () => {
  const book = new Book(null, play);
  book.add(neighbour('one'));
  expect([book.has('one'), new Book(null, play).all]).toEqual([true, []]);
});
