import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { isRawRows, typedRows, untagged } from './engine-answer';
import { jsonFields, toEngineQuery, type EngineQuery } from './engine-query';
import { openEngine, type Engine } from './wasm-engine';

/**
 * Prisma's query engine as its client for Python starts it: `query-engine -p <port> …`, which answers
 * GraphQL over HTTP. The engine itself is Prisma's, in WebAssembly, since its native one is in no registry.
 * `ENGINE_PACKAGES`: the folder that holds its packages.
 * https://github.com/prisma/prisma-engines/blob/5.22.0/query-engine/query-engine/src/server/mod.rs
 */
async function serve(): Promise<void> {
  const { ENGINE_PACKAGES = '', PRISMA_DML_PATH = '', DATABASE_URL = '', ENGINE_TYPED_ROWS } = process.env;
  const port = Number(process.argv[process.argv.indexOf('-p') + 1]);
  const datamodel = readFileSync(PRISMA_DML_PATH, 'utf8');
  const engine = await openEngine(createRequire(`${ENGINE_PACKAGES}/`), datamodel, { databaseUrl: DATABASE_URL });
  const json = jsonFields(datamodel);
  const client = { read: (text: string) => toEngineQuery(text, json), isTyped: ENGINE_TYPED_ROWS === 'yes' };
  const server = createServer((request, response) => {
    answer(engine, request, client).then(
      (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(port, '127.0.0.1');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
}

async function answer(engine: Engine, request: IncomingMessage, client: Client): Promise<unknown> {
  const [, first, id = '', end] = (request.url ?? '/').split('/');
  if (first === 'status') return { status: 'ok' };
  if (first === 'metrics') return { counters: [], gauges: [], histograms: [] };
  const body = await text(request);
  if (first === 'transaction' && id === 'start') return engine.begin(body);
  if (first === 'transaction') return end === 'commit' ? engine.commit(id) : engine.rollback(id);
  const transaction = request.headers['x-transaction-id'];
  return ask(engine, JSON.parse(body) as Question, typeof transaction === 'string' ? transaction : null, client);
}

/** How the client asks, and whether it wants every value of SQL with its type. */
interface Client {
  read: (text: string) => EngineQuery;
  isTyped: boolean;
}
type Question = { query: string } | { batch: { query: string }[] };
type Answer = { errors?: unknown[]; data?: Record<string, unknown> };

async function ask(
  engine: Engine,
  question: Question,
  transaction: string | null,
  { read, isTyped }: Client,
): Promise<object> {
  if ('query' in question) return told(await engine.ask<Answer>(read(question.query), transaction), isTyped);
  const batch = question.batch.map(({ query }) => read(query));
  const { errors, batchResult = [] } = await engine.ask<{ errors?: unknown[]; batchResult?: Answer[] }>(
    { batch, transaction: transaction === null ? {} : undefined },
    transaction,
  );
  return errors ? { errors } : { batchResult: batchResult.map((one) => told(one, isTyped)) };
}

/** In GraphQL the one result has the name `result`. */
function told({ errors, data = {} }: Answer, isTyped: boolean): object {
  if (errors) return { errors };
  const [result] = Object.values(data);
  if (isRawRows(result)) return { data: { result: isTyped ? typedRows(result) : result } };
  return { data: { result: untagged(result) } };
}

void serve();
