import { chatChunk, startScriptedUpstream } from '@tollgate/testing';
import { ScriptedRun } from '../testing/scripted-run';
import { UpstreamAttempt } from './upstream-attempt';

afterEach(() => jest.restoreAllMocks());

it('ends an answer whose tokens cannot be counted with its event', async () => {
  const { evidence } = UpstreamAttempt.prototype;
  const failing = () => {
    throw new Error('no vocabulary');
  };
  jest.spyOn(UpstreamAttempt.prototype, 'evidence').mockImplementation(function (this: UpstreamAttempt) {
    const seen = evidence.call(this);
    if (seen.reader) Object.assign(seen.reader, { countSome: failing, outputTokensSeen: failing });
    return seen;
  });
  const upstream = await startScriptedUpstream(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chatChunk({ content: 'one '.repeat(5_000) }), () => response.destroy());
  });
  const { event, failures } = await new ScriptedRun([upstream.url], { retries: 0 }).run({ stream: true });
  expect([event.state, failures.length]).toEqual(['failed', 1]);
  await upstream.stop();
});
