import { readFileSync } from 'node:fs';
import type { EngineQuery } from './engine-query';

/** Prisma's query engine, connected to a database. */
export interface Engine {
  /** @returns what it answers; errors of the database come as `errors` */
  ask: <Answer>(question: EngineQuery | EngineBatch, transaction: string | null) => Promise<Answer>;
  /** `options`: JSON, milliseconds of `max_wait` and `timeout`. */
  begin: (options: string) => Promise<unknown>;
  commit: (transaction: string) => Promise<unknown>;
  rollback: (transaction: string) => Promise<unknown>;
}

/** `transaction` absent: the questions stand in one already. */
interface EngineBatch {
  batch: EngineQuery[];
  transaction: object | undefined;
}

/** What the engine's WebAssembly offers; `headers` is JSON. */
interface WasmEngine {
  connect: (headers: string) => Promise<void>;
  query: (question: string, headers: string, transaction: string | undefined) => Promise<string>;
  startTransaction: (options: string, headers: string) => Promise<string>;
  commitTransaction: (id: string, headers: string) => Promise<string>;
  rollbackTransaction: (id: string, headers: string) => Promise<string>;
}
/** As far as it is used here; Node's types do not have it. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: object };
}
interface WasmRuntime {
  __wbg_set_wasm: (exports: object) => void;
  QueryEngine: new (options: object, log: (line: string) => void, adapter: object) => WasmEngine;
}

const runtime = '@prisma/client/runtime/query_engine_bg.postgresql';
const none = '{}';

/**
 * Opens the engine of the packages that `require` finds, as Prisma's own client does where it has no native
 * one.
 * https://github.com/prisma/prisma/blob/5.22.0/packages/client/src/runtime/core/engines/library/WasmLibraryLoader.ts
 */
export async function openEngine(
  require: NodeJS.Require,
  datamodel: string,
  { databaseUrl }: { databaseUrl: string },
): Promise<Engine> {
  const bindings = require(`${runtime}.js`) as WasmRuntime;
  const { Module, Instance } = Reflect.get(globalThis, 'WebAssembly') as WebAssemblyApi;
  const module = new Module(readFileSync(require.resolve(`${runtime}.wasm`)));
  bindings.__wbg_set_wasm(new Instance(module, { './query_engine_bg.js': bindings }).exports);
  const { Pool } = require('pg') as { Pool: new (options: object) => object };
  const { PrismaPg } = require('@prisma/adapter-pg') as { PrismaPg: new (pool: object) => object };
  const { bindAdapter } = require('@prisma/driver-adapter-utils') as { bindAdapter: (adapter: object) => object };
  const engine = new bindings.QueryEngine(
    {
      ...{ datamodel, env: process.env, logQueries: false, ignoreEnvVarErrors: true, datasourceOverrides: {} },
      ...{ logLevel: 'error', configDir: '.', engineProtocol: 'json', enableTracing: false },
    },
    () => undefined,
    bindAdapter(new PrismaPg(new Pool({ connectionString: databaseUrl, max: 10 }))),
  );
  await engine.connect(none);
  return {
    ask: async (question, transaction) =>
      read(await engine.query(JSON.stringify(question), none, transaction ?? undefined)),
    begin: async (options) => read(await engine.startTransaction(options, none)),
    commit: async (id) => read(await engine.commitTransaction(id, none)),
    rollback: async (id) => read(await engine.rollbackTransaction(id, none)),
  };
}

/** What the engine writes is in the form that is asked for. */
function read<Answer>(text: string): Answer {
  return JSON.parse(text) as Answer;
}
