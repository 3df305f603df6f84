import { z } from 'zod';
import { ControlError, faultNames, plainBehaviour } from './behaviour';
import type { Behaviour, FaultName } from './behaviour';

/** Rounds of calls, or of what is said. */
const scriptShape = z.array(
  z.union([
    z.string(),
    z.array(z.object({ name: z.string().regex(/^\w+$/), arguments: z.record(z.string(), z.unknown()) })),
  ]),
);

type Controls = Map<string, string>;

const marker = /\[\[sandbox:([^\]]*)\]\]/;
const headerPrefix = 'x-sandbox-';
const largest = 1_000_000;

/**
 * Reads `tokens=200 delay_ms=20` (also with `&` or `,` between).
 * @throws ControlError for a name or value that is unknown.
 */
function readControls(text: string): Controls {
  const controls: Controls = new Map();
  for (const pair of text.split(/[\s,&]+/)) {
    if (pair === '') continue;
    const [, name, value] = /^([a-z_]+)=(.+)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new ControlError(`sandbox: "${pair}" is not a control like tokens=200`);
    controls.set(name, value);
  }
  return controls;
}

/** A model's name without its controls (`name?tokens=5`), and the controls. */
export function splitModel(model: string): { name: string; controls: string } {
  const at = model.indexOf('?');
  return at < 0 ? { name: model, controls: '' } : { name: model.slice(0, at), controls: model.slice(at + 1) };
}

/** The controls in a message's text (`[[sandbox: tokens=5]]`); empty when it has none. */
export function controlsInText(text: string): string {
  return marker.exec(text)?.[1] ?? '';
}

/** Whether a text plays a script. */
export function hasScript(text: string): boolean {
  return /(?:^|[\s,&])script=/.test(controlsInText(text));
}

/** A text without its controls. */
export function withoutControls(text: string): string {
  return text.replace(marker, ' ').trim();
}

/** The controls in `x-sandbox-*` headers. */
export function controlsInHeaders(headers: NodeJS.Dict<string | string[]>): string {
  let controls = '';
  for (const name in headers) {
    const value = headers[name];
    if (name.startsWith(headerPrefix) && typeof value === 'string')
      controls += ` ${name.slice(headerPrefix.length).replaceAll('-', '_')}=${value}`;
  }
  return controls;
}

/** The behaviour that these controls ask for, on top of `base`; later texts win. @throws ControlError */
export function readBehaviour(base: Behaviour, texts: readonly string[]): Behaviour {
  const behaviour = { ...base };
  for (const text of texts) {
    if (text === '') continue;
    for (const [name, value] of readControls(text)) apply(behaviour, name, value);
  }
  return behaviour;
}

/** The behaviour without any control. @throws ControlError when the defaults are wrong. */
export function defaultBehaviour(defaults: string): Behaviour {
  return readBehaviour(plainBehaviour, [defaults]);
}

type Setter = (behaviour: Behaviour, value: string, name: string) => void;

const setters: Readonly<Record<string, Setter>> = {
  tokens: (behaviour, value, name) => (behaviour.tokens = number(name, value)),
  calls: (behaviour, value, name) => (behaviour.calls = number(name, value)),
  script: (behaviour, value) => (behaviour.script = readScript(value)),
  bits: (behaviour, value, name) => (behaviour.bits = Math.max(number(name, value), 1)),
  unicode: (behaviour, value, name) => (behaviour.unicode = number(name, value) > 0),
  redact: (behaviour, value, name) => (behaviour.redact = number(name, value) > 0),
  finish: applyFinish,
  tier: applyTier,
  delay_ms: (behaviour, value, name) => (behaviour.delayMs = number(name, value)),
  headers_ms: (behaviour, value, name) => (behaviour.headersMs = number(name, value)),
  first_ms: (behaviour, value, name) => (behaviour.firstMs = number(name, value)),
  pad_kib: (behaviour, value, name) => (behaviour.padKib = number(name, value)),
  at: (behaviour, value, name) => (behaviour.at = number(name, value)),
  retry_after: (behaviour, value, name) => {
    behaviour.retryAfterS = number(name, value);
    behaviour.retryAsDate = false;
  },
  retry_date: (behaviour, value, name) => {
    behaviour.retryAfterS = number(name, value);
    behaviour.retryAsDate = true;
  },
  fault: applyFault,
};

function apply(behaviour: Behaviour, name: string, value: string): void {
  const setter = Object.hasOwn(setters, name) ? setters[name] : undefined;
  if (!setter) throw new ControlError(`sandbox: there is no control named "${name}"`);
  setter(behaviour, value, name);
}

function applyFinish(behaviour: Behaviour, value: string): void {
  if (value !== 'refusal' && value !== 'filter' && value !== 'broken' && value !== 'stop')
    throw new ControlError(`sandbox: finish must be refusal, filter, broken or stop, not "${value}"`);
  behaviour.finish = value === 'stop' ? null : value;
}

function applyTier(behaviour: Behaviour, value: string): void {
  if (value !== 'priority' && value !== 'batch' && value !== 'standard')
    throw new ControlError(`sandbox: tier must be priority, batch or standard, not "${value}"`);
  behaviour.tier = value === 'standard' ? null : value;
}

function applyFault(behaviour: Behaviour, value: string): void {
  if (/^[45]\d\d$/.test(value)) {
    behaviour.status = Number(value);
    return;
  }
  if (value !== 'none' && !isFaultName(value)) throw new ControlError(`sandbox: there is no fault named "${value}"`);
  behaviour.fault = value === 'none' ? null : value;
  behaviour.status = null;
}

function isFaultName(value: string): value is FaultName {
  return faultNames.some((name) => name === value);
}

/**
 * Rounds of calls as JSON in base64url, so that they hold no spaces: `[[{"name":"write","arguments":{}}]]`.
 */
function readScript(value: string): Behaviour['script'] {
  try {
    return scriptShape.parse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8')));
  } catch {
    throw new ControlError(
      'sandbox: script must be JSON in base64url, a list of rounds of {"name", "arguments"} or texts',
    );
  }
}

function number(name: string, value: string): number {
  const read = Number(value);
  if (!Number.isInteger(read) || read < 0 || read > largest) {
    throw new ControlError(`sandbox: ${name} must be a whole number from 0 to ${largest}, not "${value}"`);
  }
  return read;
}
