import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EnvironmentError } from '@tollgate/configuration';
import { InferenceInstance } from './inference-instance';
import { InferenceModule } from './inference.module';
import { readSettings } from './settings';

async function start(): Promise<void> {
  const app = await NestFactory.createApplicationContext(InferenceModule.with(readSettings(), process.env), {
    logger: false,
    abortOnError: false,
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void leave(app));
  await app.get(InferenceInstance).start();
}

async function leave(app: INestApplicationContext): Promise<void> {
  try {
    await app.close();
    process.exit(0);
  } catch (error) {
    stopWith(error);
  }
}

function stopWith(error: unknown): void {
  console.error(error instanceof EnvironmentError ? error.message : error);
  process.exit(1);
}

start().catch(stopWith);
