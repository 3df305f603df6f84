import { run } from './run';

// Whoever reads what is printed may have enough of it (`tollgate keys list | head`): nothing is wrong then.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

void run(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  write: { out: (text) => void process.stdout.write(text), error: (text) => void process.stderr.write(text) },
}).then((exitCode) => {
  // Not process.exit(): a pipe may still be taking the output.
  process.exitCode = exitCode;
});
