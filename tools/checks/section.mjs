import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFailedTests } from './failed-tests.cjs';

/** Jest's summary line, which Nx repeats for what it takes from its cache. */
const summary = /^Tests:\s+(?:(\d+) failed, )?(?:\d+ skipped, )?(?:\d+ todo, )?(?:(\d+) passed, )?\d+ total/;
// eslint-disable-next-line no-control-regex -- the escape character is what colours are made of
const colours = /\u001b\[[0-9;]*m/g;

/**
 * What says nothing for so long hangs. A test is ended after ten minutes (jest.setTimeout), and those that
 * end are told as they do (progress.cjs): however slow a machine is, tests come to no such silence.
 */
const usualSilenceMs = 15 * 60_000;

/**
 * How long the output of a command that ended may stay open: what it started and left behind can hold it for
 * ever.
 */
const outputLimitMs = 10_000;

/** So many lines are kept of what a command says, for its end. */
const keptLines = 15;

/** More test files than these that fail are no accident of the machine. */
const mostLookedAtAgain = 2;

/**
 * Runs one command, shows its output, and counts the tests in it. A command without tests counts as one
 * check; one that should have tests (`hasTests`)
 * and ran none has failed. One that fails without a failed test (it did not compile, say) counts as one
 * failure, so that a failed run never shows "0 failed".
 * One that says nothing for `silenceMs` is ended, with all that it started.
 * Where tests of one or two files failed (`again`), those files are run once more, one after the other.
 * If all of them pass then, the section has, and what failed before is `unsteady`: told with what was wrong,
 * to be mended. A run that did not come to its end is not looked at again: it left files out.
 * `failures`: each failed test; of another command that failed, the end of what it said.
 */
export async function runSection(section) {
  const startedAt = Date.now();
  const first = await runOnce(section);
  const files = [...new Set(first.failedTests.map(({ path }) => path))];
  const again =
    section.again && first.isWhole && files.length > 0 && files.length <= mostLookedAtAgain
      ? await runOnce({
          ...section,
          name: `${section.name}, once more`,
          command: [...section.command, '--runInBand', '--runTestsByPath', ...files],
        })
      : null;
  const seconds = (Date.now() - startedAt) / 1000;
  const { ok, passed, failed, failedTests } = first;
  const told = { name: section.name, seconds };
  if (again?.ok) return { ...told, ok: true, passed: passed + failed, failed: 0, failures: [], unsteady: failedTests };
  const failures = ok || failedTests.length > 0 ? failedTests : [first.end];
  return { ...told, ok, passed, failed, failures, unsteady: [] };
}

async function runOnce({ name, command, environment = {}, hasTests = false, silenceMs = usualSilenceMs }) {
  console.log(`\n=== ${name}: ${command.join(' ')}`);
  const startedAt = Date.now();
  const counts = { passed: 0, failed: 0 };
  let hasSummary = false;
  const lastLines = [];
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-check-'));
  const file = join(folder, 'failed-tests');
  const exitCode = await run(command, { ...environment, FAILED_TESTS_FILE: file }, silenceMs, (line) => {
    if (line.trim() !== '') lastLines.push(line);
    if (lastLines.length > keptLines) lastLines.shift();
    const match = summary.exec(line.replace(colours, '').trim());
    if (!match) return;
    hasSummary = true;
    counts.failed += Number(match[1] ?? 0);
    counts.passed += Number(match[2] ?? 0);
  });
  const ok = exitCode === 0 && !(hasTests && counts.passed === 0);
  if (!ok) counts.failed = Math.max(counts.failed, 1);
  else if (counts.passed === 0) counts.passed = 1;
  const seconds = (Date.now() - startedAt) / 1000;
  console.log(`=== ${name}: ${ok ? 'passed' : 'FAILED'} in ${seconds.toFixed(1)} s`);
  const failedTests = readFailedTests(file);
  rmSync(folder, { recursive: true });
  const end = { path: name, name: 'its last lines', message: lastLines.join('\n') };
  return { ok, isWhole: hasSummary && exitCode !== null, failedTests, end, ...counts };
}

/** Resolves to its exit code; null: it did not start, or was ended by a signal. */
function run([program, ...args], environment, silenceMs, onLine) {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that all of it can be ended.
    detached: true,
    env: { ...process.env, NX_TUI: 'false', NX_DAEMON: 'false', ...environment },
  });
  const end = () => endGroup(child.pid);
  const silence = setTimeout(() => {
    console.log(`\n=== Ended: the command has said nothing for ${silenceMs / 60_000} minutes. What runs now:`);
    console.log(spawnSync('ps', ['-A', '-o', 'pid,ppid,etime,args'], { encoding: 'utf8' }).stdout);
    end();
  }, silenceMs);
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text) => {
      silence.refresh();
      process.stdout.write(text);
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    });
    stream.on('end', () => onLine(rest));
  }
  process.once('exit', end);
  return new Promise((resolve) => {
    const done = (exitCode) => {
      clearTimeout(silence);
      clearTimeout(letGo);
      process.off('exit', end);
      resolve(exitCode);
    };
    let letGo;
    child.on('error', () => done(null));
    child.on('exit', () => {
      letGo = setTimeout(() => {
        console.log(`\n=== The command has ended, and what it started still holds its output.`);
        end();
        child.stdout.destroy();
        child.stderr.destroy();
      }, outputLimitMs);
    });
    child.on('close', done);
  });
}

function endGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in between.
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
