import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { StackError } from '../stack/stack-error';
import type { Proof } from './proof';
import { proofs } from './proofs';

const usage = `npm run prove -- <name> [options]   plays one proof; ends with 0 when it holds
npm run prove -- --list             tells what there is
npm run prove -- all                plays all of them in this order, and sums up`;

/** `npm run prove`: returns the exit code. */
async function main([name, ...args]: string[]): Promise<number> {
  const proof = proofs.find((one) => one.name === name);
  if (proof && args.includes('--help')) {
    console.log(line(proof));
    return 0;
  }
  if (proof) return play(proof, args);
  if (name === 'all' && args.length === 0) return playAll();
  if (name === '--list') {
    for (const one of proofs) console.log(line(one));
    return 0;
  }
  console.error(`${usage}\n\nNames: ${proofs.map((one) => one.name).join(', ')}`);
  return 1;
}

async function play(proof: Proof, args: string[]): Promise<number> {
  try {
    return (await proof.play(args, (text) => console.log(text))) ? 0 : 1;
  } catch (error) {
    const isUnknownOption =
      error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
    if (isUnknownOption) console.error(`${error.message}\n\n${line(proof)}`);
    else console.error(error instanceof StackError ? error.message : error);
    return 1;
  }
}

/** Each in a process of its own, so that nothing which one leaves behind disturbs the next. */
async function playAll(): Promise<number> {
  const results: string[] = [];
  let exitCode = 0;
  for (const { name } of proofs) {
    console.log(`\n=== ${name}`);
    const startedAt = Date.now();
    const child = spawn(process.execPath, [...process.execArgv, __filename, name], { stdio: 'inherit' });
    await once(child, 'close');
    const holds = child.exitCode === 0;
    if (!holds) exitCode = 1;
    const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
    results.push(`  ${holds ? 'proved    ' : 'NOT proved'}  ${name.padEnd(12)} ${minutes.padStart(6)} min`);
  }
  console.log(`\nSummary\n${results.join('\n')}`);
  return exitCode;
}

function line({ name, proves, promises, options }: Proof): string {
  const numbers = promises.length > 0 ? ` (promise ${promises.join(', ')})` : '';
  const flags = Object.keys(options).map((option) => ` --${option}`);
  return `${name.padEnd(12)} ${proves}${numbers}${flags.length > 0 ? `\n${' '.repeat(13)}${flags.join('').trim()}` : ''}`;
}

// An exit runs what takes small disks away again; death by a signal would not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
// Connections that a proof kept open must not keep this process.
void main(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
