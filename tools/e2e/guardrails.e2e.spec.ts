import Anthropic from '@anthropic-ai/sdk';
import { eventually } from '@tollgate/testing';
import OpenAI from 'openai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-guardrails-'));
/** The simulated providers answer with the first words of the question. */
const guardrails = `
guardrails:
  - { id: personal, kind: pii, appliesTo: input, action: redact }
  - { id: project, kind: regex, patterns: ['\\bPROJECT-[A-Z]+\\b'], appliesTo: input, action: block }
  - { id: animal, kind: regex, patterns: [purple\\s+river], ignoreCase: true, appliesTo: output, action: redact }
  - { id: password, kind: regex, patterns: [open\\s+window], ignoreCase: true, appliesTo: output, action: block }
`;

let test: TestStack;
let apiKey: string;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(config, guardrails);
  test = await startTestStack({ environment: { TOLLGATE_CONFIG: config } });
  ({ apiKey } = await test.stack.createKey({ name: 'guarded', plan: 'enterprise', rpm: null, quotaTokens: 1_000_000 }));
  openai = new OpenAI({ baseURL: `${test.stack.baseUrl}/v1`, apiKey, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: test.stack.baseUrl, apiKey, maxRetries: 0 });
});
afterAll(async () => {
  await test.stop();
  rmSync(folder, { recursive: true });
});

/** What each client is answered with, whole and streamed. */
const clients: [string, (model: string, content: string) => Promise<string>][] = [
  [
    'chat completions',
    async (model, content) => {
      const { choices } = await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] });
      return choices[0]?.message.content ?? '';
    },
  ],
  [
    'streamed chat completions',
    async (model, content) =>
      (await openai.chat.completions.stream({ model, messages: [{ role: 'user', content }] }).finalContent()) ?? '',
  ],
  ['responses', async (model, input) => (await openai.responses.create({ model, input })).output_text],
  [
    'streamed responses',
    async (model, input) => (await openai.responses.stream({ model, input }).finalResponse()).output_text,
  ],
  ['messages', async (model, content) => textOf(await anthropic.messages.create(question(model, content)))],
  ['streamed messages', async (model, content) => anthropic.messages.stream(question(model, content)).finalText()],
];

const question = (model: string, content: string) => ({
  model,
  max_tokens: 200,
  messages: [{ role: 'user' as const, content }],
});
const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const asked = async () => (await test.provider.ledger()).length;

/** A model of each surface's own dialect, and one that every surface is translated for. */
const models = [
  'openai/gpt-5.4-mini',
  'anthropic/claude-sonnet-4-5',
  'google/gemini-3.8-flash',
  'mistral/mistral-large-2512',
];

describe.each(clients)('%s', (_, ask) => {
  it.each(models)('are guarded on the way to %s and back', async (model) => {
    await expect(ask(model, 'Tell ada@example.com hello')).resolves.not.toMatch(/\bada\b|example\.com/);
    const redacted = await ask(model, 'Say purple river twice');
    expect(redacted).toContain('[redacted:animal]');
    expect(redacted).not.toMatch(/purple\s+river/i);
    const before = await asked();
    const refusal = { reason: 'guardrail_blocked', guardrail: 'project' };
    const error: unknown = await ask(model, 'Say PROJECT-FALCON').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400 });
    expect(JSON.stringify(error)).toContain(JSON.stringify(refusal).slice(1, -1));
    expect(await asked()).toBe(before);
    await expect(ask(model, 'Say open window now')).rejects.toThrow(/guardrail password/);
    expect(await asked()).toBe(before + 1);
  });
});

it('bills what providers were asked for, answers that were blocked too', async () => {
  const rows = await test.provider.ledger();
  const input = rows.reduce((sum, row) => sum + row.inputTokens, 0);
  const used = async () => {
    const response = await fetch(`${test.stack.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${apiKey}` } });
    return ((await response.json()) as { used: number }).used;
  };
  expect(await eventually(used, (count) => count >= input, 10_000)).toBeGreaterThanOrEqual(input);
});
