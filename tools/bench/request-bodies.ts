import { busyDelayMs, heldDelayMs } from './bench-plan';

/** The controls of the simulated provider travel in the message: how many tokens it answers, and how fast. */
function body(model: string, stream: boolean, controls: string): string {
  const content = `Tell me about gateways. [[sandbox: ${controls}]]`;
  return JSON.stringify({ model, stream, messages: [{ role: 'user', content }] });
}

/** An answer of about 1.2 kB, at once. */
export function plainBody(model: string): string {
  return body(model, false, 'tokens=140');
}

/** A short stream without pauses. */
export function shortStreamBody(model: string): string {
  return body(model, true, 'tokens=16');
}

/** A stream of a hundred chunks a second, for one second. */
export function busyStreamBody(model: string): string {
  return body(model, true, `tokens=100 delay_ms=${busyDelayMs}`);
}

/** A stream of five chunks a second for so many seconds. */
export function heldStreamBody(model: string, seconds: number): string {
  return body(model, true, `tokens=${Math.round((seconds * 1_000) / heldDelayMs)} delay_ms=${heldDelayMs}`);
}

/** A stream of fifty chunks a second, for two seconds. */
export function pacedStreamBody(model: string): string {
  return body(model, true, 'tokens=100 delay_ms=20');
}
