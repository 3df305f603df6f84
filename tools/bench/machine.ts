import { cpus, release, type } from 'node:os';

/** The day and the machine, which are said beside all figures. */
export function machine(): string {
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${type()} ${release()}, Node ${process.versions.node}`;
}
