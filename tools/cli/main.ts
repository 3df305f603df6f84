import { run } from './run';

void run(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  write: { out: (text) => void process.stdout.write(text), error: (text) => void process.stderr.write(text) },
}).then((exitCode) => {
  // Not process.exit(): a pipe may still be taking the output.
  process.exitCode = exitCode;
});
