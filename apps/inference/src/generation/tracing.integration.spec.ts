import { connectToNats, NatsGenerationClient } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import {
  answerJson,
  chatUsage,
  goodChat,
  OtlpReceiver,
  startNatsServer,
  startScriptedUpstream,
  type NatsServer,
  type ScriptedUpstream,
} from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { aBody, aModel, aProvider, aRequest, aSnapshot } from '../testing/fixtures';
import { FakeCatalog, HeardAnswer, runInstance, type RunningInstance } from '../testing/running-instance';

const logger = createLogger('test', 'silent');
const traceId = '0af7651916cd43dd8448eb211c80319c';
const edgeSpan = 'b7ad6b7169203331';

let nats: NatsServer;
let connection: NatsConnection;
let client: NatsGenerationClient;
let upstream: ScriptedUpstream;
let receiver: OtlpReceiver;
let instance: RunningInstance | undefined;

beforeEach(async () => {
  [nats, upstream, receiver] = await Promise.all([
    startNatsServer(),
    startScriptedUpstream(goodChat()),
    OtlpReceiver.start(),
  ]);
  connection = await connectToNats({ url: nats.url, name: 'test', logger });
  client = new NatsGenerationClient(connection, { logger });
  const providers = ['mistral', 'spare'].map((id) =>
    aProvider({ id, name: id, baseUrl: `${upstream.url}/${id}`, apiKeyEnv: ['KEY'] }),
  );
  const spare = aModel({ id: 'acme/two', provider: 'spare' });
  new FakeCatalog(connection, aSnapshot(providers, [aModel({ provider: 'mistral', fallbacks: ['acme/two'] }), spare]));
});

afterEach(async () => {
  await instance?.stop();
  instance = undefined;
  client.close();
  await connection.close();
  await Promise.all([upstream.stop(), receiver.stop()]);
  await nats.stop();
});

async function start(environment: NodeJS.ProcessEnv): Promise<void> {
  instance = await runInstance(nats.url, { KEY: 'key', ...environment });
  await instance.started;
}

/** Asks below edge's span, and waits for the end. */
async function ask(traceparent: string | null, stream = false): Promise<HeardAnswer> {
  const answer = new HeardAnswer();
  answer.handle = client.open(aRequest({ stream, traceparent }), aBody(stream), answer);
  await answer.settled;
  return answer;
}

const sampled = `00-${traceId}-${edgeSpan}-01`;

it('traces a call and its attempt below the span of edge, and tells the provider', async () => {
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  await ask(sampled, true);
  await instance?.stop();
  instance = undefined;
  const spans = await receiver.received(2);
  const call = spans.find(({ name }) => name === 'generate acme/one');
  const attempt = spans.find(({ name }) => name === 'chat one');
  expect(call).toMatchObject({ service: 'tollgate-inference', traceId, parentSpanId: edgeSpan, kind: 2, status: 0 });
  expect(attempt).toMatchObject({ traceId, parentSpanId: call?.spanId, kind: 3, status: 0 });
  expect(attempt?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'mistral_ai',
    'gen_ai.request.model': 'one',
    'gen_ai.response.model': expect.stringMatching(/./),
    'gen_ai.usage.input_tokens': chatUsage.prompt_tokens,
    'gen_ai.usage.output_tokens': chatUsage.completion_tokens,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(upstream.url).port),
    'http.response.status_code': 200,
  });
  expect((await upstream.visited(1)).headers['traceparent']).toBe(`00-${traceId}-${attempt?.spanId}-01`);
});

it('has one span for each attempt, and says what was wrong with it', async () => {
  upstream.script = (visit) => (visit.path.startsWith('/mistral') ? answerJson(visit, 500, '{}') : goodChat()(visit));
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, INFERENCE_RETRIES: '0' });
  expect(await ask(sampled)).toMatchObject({ ended: true });
  await instance?.stop();
  instance = undefined;
  const spans = await receiver.received(3);
  const call = spans.find(({ kind }) => kind === 2);
  const [failed, answered] = spans.filter(({ kind }) => kind === 3);
  expect(failed).toMatchObject({ parentSpanId: call?.spanId, status: 2 });
  expect(failed?.attributes).toMatchObject({
    'gen_ai.provider.name': 'mistral_ai',
    'http.response.status_code': 500,
    'error.type': expect.stringMatching(/./),
  });
  expect(answered).toMatchObject({ parentSpanId: call?.spanId, status: 0 });
  expect(answered?.attributes).not.toHaveProperty('error.type');
  expect(call?.status).toBe(0);
});

it('sends no span of a trace that its caller does not sample, but names it to the provider', async () => {
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  await ask(`00-${traceId}-${edgeSpan}-00`);
  await instance?.stop();
  instance = undefined;
  expect(receiver.spans).toEqual([]);
  expect((await upstream.visited(1)).headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
});

it('hands the trace of a caller on as it came while tracing is off, and makes up none', async () => {
  await start({});
  await ask(sampled);
  await ask(null);
  expect((await upstream.visited(1)).headers['traceparent']).toBe(sampled);
  expect((await upstream.visited(2)).headers).not.toHaveProperty('traceparent');
  expect(receiver.spans).toEqual([]);
});
