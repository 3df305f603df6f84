import { eventually, goodChat, OtlpReceiver, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homemadeProvider } from './homemade-provider';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-traces-'));
const traceId = '0af7651916cd43dd8448eb211c80319c';
const callersSpan = 'b7ad6b7169203331';

let receiver: OtlpReceiver;
let upstream: ScriptedUpstream;
let test: TestStack;

beforeAll(async () => {
  [receiver, upstream] = await Promise.all([OtlpReceiver.start(), startScriptedUpstream(goodChat())]);
  test = await startTestStack({
    environment: {
      ...homemadeProvider(folder, upstream.url, 'homemade-secret'),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    },
  });
});
afterAll(async () => {
  await test.stop();
  await Promise.all([receiver.stop(), upstream.stop()]);
  rmSync(folder, { recursive: true });
});

it("follows a request from its caller's trace through edge and inference to the provider", async () => {
  const { apiKey } = await test.stack.createKey({ name: 'traces', plan: 'pro' });
  const response = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${callersSpan}-01`,
    },
    body: JSON.stringify({ model: 'homemade/tiny', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(await response.text()).toContain('[DONE]');
  const ofTrace = () => receiver.spans.filter((span) => span.traceId === traceId);
  const spans = await eventually(ofTrace, ({ length }) => length >= 3, 20_000);
  const [edge, call, attempt] = ['tollgate-edge', 'tollgate-inference', 'tollgate-inference'].map((service, index) =>
    spans.find((span) => span.service === service && (index === 2) === (span.kind === 3)),
  );
  expect(spans).toHaveLength(3);
  expect(edge).toMatchObject({ parentSpanId: callersSpan, name: 'POST /v1/chat/completions' });
  expect(call).toMatchObject({ parentSpanId: edge?.spanId, name: 'generate homemade/tiny' });
  expect(attempt).toMatchObject({
    parentSpanId: call?.spanId,
    name: 'chat tiny-1',
    attributes: { 'gen_ai.provider.name': 'homemade', 'gen_ai.request.model': 'tiny-1' },
  });
  expect(edge?.attributes['tollgate.request_id']).toBe(call?.attributes['tollgate.request_id']);
  const visit = await upstream.visited(1);
  expect(visit.headers['traceparent']).toBe(`00-${traceId}-${attempt?.spanId}-01`);
});
