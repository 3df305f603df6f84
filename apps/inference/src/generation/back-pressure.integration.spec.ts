import { setTimeout as sleep } from 'node:timers/promises';
import {
  beginStream,
  chatEnding,
  eventually,
  startScriptedUpstream,
  streamWords,
  type ScriptedUpstream,
} from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const window = 64 * 1024;
const word = ` ${'x'.repeat(8 * 1024)}`;
const timeouts = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 2_000, totalMs: 240_000 };
const words = Array.from({ length: 4_000 }, () => word);

describe('a caller who does not read', () => {
  let upstream: ScriptedUpstream;
  let run: ScriptedRun;

  beforeEach(async () => {
    upstream = await startScriptedUpstream(async (visit) => {
      beginStream(visit);
      await streamWords(visit, words);
      visit.response.end(chatEnding());
    });
    run = new ScriptedRun([`${upstream.url}/v1`], { timeouts });
  });

  afterEach(async () => {
    await run.pools.close();
    await upstream.stop();
  });

  it('stops the reading of the upstream: what is in memory stays near the window', async () => {
    const call = new RecordedCall(aRequest({ stream: true }));
    call.windowBytes = window;
    const handled = run.handle(call);
    await eventually(() => call.bytesWritten >= window);
    await sleep(500);
    // One more read of the socket (64 KiB) may come after the window is used up.
    expect(call.bytesWritten).toBeLessThan(window + 2 * 64 * 1024);
    call.cancel('slow_reader');
    await handled;
    expect(call.event.state).toBe('cancelled');
  });

  it('is not cut off by the idle limit, and gets every byte once it reads', async () => {
    const ask = async () => {
      const call = new RecordedCall(aRequest({ stream: true, deadlineAt: Date.now() + 240_000 }));
      call.windowBytes = window;
      const handled = run.handle(call);
      await eventually(() => call.bytesWritten >= window);
      // Longer than the provider's idle limit.
      await sleep(timeouts.idleMs + 500);
      expect(call.failures).toEqual([]);
      call.grant(Number.POSITIVE_INFINITY);
      return handled;
    };
    // A machine that stands still for so long while it reads takes the provider for idle.
    const call = await eventually(ask, ({ ends }) => ends === 1);
    expect(call.event).toMatchObject({ state: 'completed', estimated: false });
    expect(call.text.split(word)).toHaveLength(words.length + 1);
    expect(call.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});
