import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { dialectNames } from '@tollgate/contracts';
import type { DialectName, GenerationSurface } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import { translationFor } from '@tollgate/dialects';
import type { UpstreamTarget } from '@tollgate/dialects';
import { aModel } from '@tollgate/testing';
import { buildServices } from '../stack/build';
import { startStack } from '../stack/stack';
import { StackError } from '../stack/stack-error';

/** One token a chunk. */
const chunks = 300;
const rounds = 7;
const repetitions = 200;

const surfaces: Record<GenerationSurface, Record<string, unknown>> = {
  'openai-chat': { messages: [{ role: 'user', content: prompt() }], max_tokens: 4_000 },
  'anthropic-messages': { messages: [{ role: 'user', content: prompt() }], max_tokens: 4_000 },
  'openai-responses': { input: [{ role: 'user', content: prompt() }], max_output_tokens: 4_000 },
};

/**
 * What a pair costs, in microseconds: translating a request, and a chunk of its answer, beside parsing and
 * writing the same JSON and nothing else (0 where the stream is no text).
 */
interface PairCost {
  surface: GenerationSurface;
  dialect: DialectName;
  request: number;
  chunk: number;
  plainJson: number;
}

/**
 * `npm run bench:dialects`: the cost of translation for every pair of a caller's and a provider's dialect,
 * over streams that the simulated providers really sent. Rounds are interleaved; medians are shown.
 */
async function benchDialects(): Promise<void> {
  await buildServices();
  const dataFolder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const [load = 0] = loadavg();
  const stack = await startStack({ dataFolder, environment: { LOG_LEVEL: 'warn', TOLLGATE_SANDBOX: 'on' } });
  try {
    const pairs: RecordedPair[] = [];
    for (const surface of ['openai-chat', 'anthropic-messages', 'openai-responses'] as const)
      for (const dialect of dialectNames) pairs.push(await recordedPair(stack.sandboxUrl ?? '', surface, dialect));
    const costs = Array.from({ length: rounds }, () => pairs.map((pair) => pair.measure()));
    print(pairs.map((pair, index) => ({ ...pair.names, ...medians(costs.flatMap((round) => round[index] ?? [])) })));
  } finally {
    await stack.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
  console.log(
    `\n${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node}; load average before: ${load.toFixed(1)}`,
  );
}

interface RecordedPair {
  names: Pick<PairCost, 'surface' | 'dialect'>;
  measure: () => Omit<PairCost, 'surface' | 'dialect'>;
}

/** Has the simulated provider answer once, and measures on that answer. */
async function recordedPair(
  sandboxUrl: string,
  surface: GenerationSurface,
  dialect: DialectName,
): Promise<RecordedPair> {
  const translation = translationFor(surface, dialect);
  if (!translation) throw new StackError(`There is no translation from ${surface} to ${dialect}.`);
  const target = targetOf(dialect);
  const body = Buffer.from(JSON.stringify({ model: 'bench', stream: true, ...surfaces[surface] }));
  const prepare = () => translation.prepare(body, target, { includeUsage: true });
  const { path, headers, body: sent } = prepare().request;
  const answer = await fetch(`${sandboxUrl}/${dialect}${path}`, {
    method: 'POST',
    headers,
    body: Buffer.concat(sent).toString(),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (!answer.ok) throw new StackError(`The simulated ${dialect} refused: ${bytes.toString()}`);
  const events = bytes.toString().match(/^data: \{.*$/gm) ?? [];
  const pieces =
    dialect === 'bedrock-converse'
      ? [bytes]
      : bytes
          .toString()
          .split(/(?<=\n\r?\n)/)
          .map((event) => Buffer.from(event));
  const translateAnswer = () => {
    const reader = prepare().answerReader();
    for (const piece of pieces) reader.push(piece);
    reader.end();
    if (reader.state !== 'complete') throw new StackError(`The answer of ${dialect} was not read whole.`);
  };
  const plainJson = () => {
    for (const event of events) JSON.stringify(JSON.parse(event.slice('data: '.length)));
  };
  const measure = () => {
    const request = microseconds(prepare);
    return {
      request,
      chunk: (microseconds(translateAnswer) - request) / chunks,
      plainJson: events.length === 0 ? 0 : microseconds(plainJson) / chunks,
    };
  };
  return { names: { surface, dialect }, measure };
}

function microseconds(work: () => unknown): number {
  const startedAt = performance.now();
  for (let i = 0; i < repetitions; i++) work();
  return ((performance.now() - startedAt) * 1_000) / repetitions;
}

function medians(
  costs: readonly Pick<PairCost, 'request' | 'chunk' | 'plainJson'>[],
): Pick<PairCost, 'request' | 'chunk' | 'plainJson'> {
  const median = (name: 'request' | 'chunk' | 'plainJson') =>
    costs.map((cost) => cost[name]).sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;
  return { request: median('request'), chunk: median('chunk'), plainJson: median('plainJson') };
}

function print(costs: readonly PairCost[]): void {
  console.log('| caller | provider | µs/request | µs/chunk | times plain JSON |\n| --- | --- | ---: | ---: | ---: |');
  for (const { surface, dialect, request, chunk, plainJson } of costs) {
    const ratio = plainJson > 0 ? `${(chunk / plainJson).toFixed(1)}x` : '';
    console.log(`| ${surface} | ${dialect} | ${request.toFixed(0)} | ${chunk.toFixed(2)} | ${ratio} |`);
  }
}

function targetOf(dialect: DialectName): UpstreamTarget {
  return {
    provider: providerDefinition.parse({
      id: 'bench',
      name: 'Bench',
      dialect,
      baseUrl: 'http://bench.test',
      apiKeyEnv: [],
    }),
    model: aModel({ id: 'bench/model', maxOutputTokens: 8_000, capabilities: { vision: true } }),
    upstreamModel: 'bench-model',
    stream: true,
  };
}

/** About as long as a usual question, with the length of its answer. */
function prompt(): string {
  return `[[sandbox: tokens=${chunks}]] ${'Tell me about the rivers of this country, please. '.repeat(20)}`;
}

benchDialects().catch((error: unknown) => {
  console.error(error instanceof StackError ? error.message : error);
  process.exit(1);
});
