import { exitCodes } from './failure';
import { run } from './run';

let isUnwritten = false;

// Whoever reads what is printed may have enough of it (`tollgate keys list | head`): nothing is wrong then.
// A disk that is full is something else (`tollgate usage export … > november.csv`).
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isUnwritten) return;
    isUnwritten = true;
    const told = `Not all that was to be printed could be written: ${error.message}\n`;
    process.stderr.write(told, () => process.exit(exitCodes.refused));
  });

void run(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  write: { out: (text) => void process.stdout.write(text), error: (text) => void process.stderr.write(text) },
}).then((exitCode) => {
  // Not process.exit(): a pipe may still be taking the output.
  process.exitCode = exitCode;
});
