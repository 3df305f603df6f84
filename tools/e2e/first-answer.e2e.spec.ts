import { eventually, goodChat, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookAtCatalog } from '../stack/first-request';
import { noticeOf } from '../stack/greeting';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

/** A newcomer with a server at home and no key of any cloud: nothing says whether the sandbox is wanted. */
const folder = mkdtempSync(join(tmpdir(), 'tollgate-first-answer-'));
const simulatedModel = 'openai/gpt-5.4-mini';
let home: ScriptedUpstream;
let test: TestStack;
let apiKey: string;

const post = (model: string, requestId: string) =>
  fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });

const simulatedAnswers = async () =>
  readFileSync(test.stack.processes.get('inference')?.logFile ?? '', 'utf8')
    .split('\n')
    .filter((line) => line.includes('simulated answer'));

beforeAll(async () => {
  home = await startScriptedUpstream(goodChat());
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(
    config,
    `providers:\n  - { id: llama-cpp, preset: llama-cpp, baseUrl: '${home.url}', loadMetrics: [] }\n` +
      'models:\n  - { id: llama-cpp/tiny, provider: llama-cpp, upstreamModel: tiny }\n',
  );
  test = await startTestStack({ environment: { TOLLGATE_SANDBOX: 'auto', TOLLGATE_CONFIG: config } });
  apiKey = (await test.stack.createKey({ name: 'first answer', plan: 'beta' })).apiKey;
});
afterAll(async () => {
  await (test as typeof test | undefined)?.stop();
  await home.stop();
  rmSync(folder, { recursive: true });
});

it('comes from the server at home, and what the sandbox invents beside it says so in its header and in the log', async () => {
  const real = await post('llama-cpp/tiny', 'of-the-server');
  expect([real.status, real.headers.get('x-gateway-provider')]).toEqual([200, 'llama-cpp']);
  expect(real.headers.get('x-gateway-sandbox')).toBeNull();
  expect(home.visits.map(({ path }) => path)).toEqual(['/v1/chat/completions']);

  const invented = await post(simulatedModel, 'of-the-sandbox');
  expect([invented.status, invented.headers.get('x-gateway-sandbox')]).toEqual([200, 'true']);
  expect(home.visits).toHaveLength(1);

  const lines = await eventually(simulatedAnswers, (found) => found.length > 0);
  expect(lines).toEqual([expect.stringContaining('of-the-sandbox')]);
});

it('is told of in the greeting: what is real, what is simulated, and no word of money', async () => {
  const { model, isModelSimulated, providers: _, ...answering } = await lookAtCatalog(test.stack);
  expect([model, isModelSimulated]).toEqual(['llama-cpp/tiny', false]);
  const [real, simulated, ...rest] = noticeOf(answering, false);
  expect(real).toBe('Real, your own: llama.cpp.');
  expect(simulated).toMatch(
    /^Sandbox: no provider key is set, .* for the other \d+ models \(x-gateway-sandbox: true\)\.$/,
  );
  expect([real, simulated, ...rest].join(' ')).not.toMatch(/charg/i);
});
