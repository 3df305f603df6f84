import { OtlpReceiver } from '@tollgate/testing';
import { EdgeRig, eventually, question } from '../testing/edge-rig';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

let receiver: OtlpReceiver;
let rig: EdgeRig;
beforeEach(async () => {
  receiver = await OtlpReceiver.start();
});
afterEach(async () => {
  await rig.stop();
  await receiver.stop();
});

function chat(headers: Record<string, string>, body: object = question): Promise<Response> {
  const apiKey = rig.accounts.create();
  const own = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return rig.chat(apiKey, body, { headers: { ...own, ...headers } });
}

it("puts a request's span below its caller's, and the call to inference below that", async () => {
  rig = await EdgeRig.start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  const answer = await chat({ traceparent });
  await answer.text();
  const [span] = await receiver.received(1);
  expect(span).toMatchObject({
    service: 'tollgate-edge',
    name: 'POST /v1/chat/completions',
    traceId,
    parentSpanId: 'b7ad6b7169203331',
    kind: 2,
    status: 0,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'tollgate.request_id': answer.headers.get('x-request-id'),
    },
  });
  expect(rig.inference.calls[0]?.request.traceparent).toBe(`00-${traceId}-${span?.spanId}-01`);
});

it('begins a trace where the caller has none, and marks what went wrong, also in a stream', async () => {
  rig = await EdgeRig.start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  rig.inference.behaviour.failAfter = 1;
  await (await chat({}, { ...question, stream: true })).text();
  await (await chat({}, { ...question, model: 'no/such' })).text();
  const spans = await receiver.received(2);
  const cut = spans.find(({ attributes }) => attributes['http.response.status_code'] === 200);
  expect(cut).toMatchObject({ parentSpanId: '', status: 2, attributes: { 'error.type': 'upstream' } });
  // A mistake of the caller's is no error of the server.
  expect(spans.find(({ attributes }) => attributes['http.response.status_code'] === 404)).toMatchObject({ status: 0 });
});

it('traces nothing unless it is told where to, and hands the trace of the caller on as it came', async () => {
  rig = await EdgeRig.start();
  await (await chat({ traceparent })).text();
  await (await chat({ traceparent: 'nonsense' })).text();
  await eventually(() => rig.inference.calls.length === 2);
  expect(rig.inference.calls.map(({ request }) => request.traceparent)).toEqual([traceparent, null]);
  expect(receiver.spans).toEqual([]);
});
