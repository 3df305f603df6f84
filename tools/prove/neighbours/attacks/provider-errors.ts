import type { Attack } from '../attack';
import { asking } from '../attack';

const some = { atOnce: 16, perSecond: 40 };

/**
 * What the attacker's words make the simulated provider do, to every model of the victim; every second one a
 * stream.
 */
const faults: readonly [name: string, controls: string][] = [
  ['500', 'fault=500'],
  ['503', 'fault=503'],
  ['overloaded', 'fault=overloaded'],
  ['429 with Retry-After', 'fault=429 retry_after=20'],
  ['429 without Retry-After', 'fault=429'],
  ['request too large (429)', 'fault=too_large'],
  ['reset before the head', 'fault=reset_before'],
  ['reset after the head', 'fault=reset_headers'],
  ['reset half-way', 'fault=reset_mid'],
  ['truncated', 'fault=truncate'],
  ['HTML', 'fault=html'],
  ['empty body', 'fault=empty'],
  ['broken JSON', 'fault=malformed'],
  ['an error with 200', 'fault=error_first'],
  ['an error half-way', 'fault=error_mid'],
  ['every second one fails', 'fault=flap'],
];

/** What takes time at the provider. */
const waits: readonly [name: string, controls: string][] = [
  ['never an answer', 'fault=hang'],
  ['silence half-way', 'fault=stall'],
  ['a trickle', 'fault=trickle tokens=200'],
];

const longPrompt = 'A long prompt takes a provider long before it says its first word. '.repeat(3_000);

export const providerAttacks: readonly Attack[] = [
  ...faults.map(([name, controls]) =>
    asking(`provider: ${name}`, some, (attacker, number) => ({
      body: attacker.chat(number >> 1, controls, { stream: number % 2 === 0 }),
    })),
  ),
  asking('provider: 500, by eight keys', some, (attacker, number) => ({
    key: attacker.means.keys.several[number % attacker.means.keys.several.length],
    body: attacker.chat(number >> 1, 'fault=500', { stream: number % 2 === 0 }),
  })),
  asking('provider: reset half-way, to be continued', some, (attacker, number) => ({
    headers: { 'x-tollgate-continue': 'on' },
    body: attacker.chat(number, 'tokens=400 fault=reset_mid at=200', { stream: true }),
  })),
  ...waits.map(([name, controls]) =>
    asking(`provider: ${name}`, { atOnce: 24, perSecond: 24 }, (attacker, number) => ({
      body: attacker.chat(number >> 1, controls, { stream: number % 2 === 0 }),
    })),
  ),
  asking('long prompts, streamed', { atOnce: 18, perSecond: 18 }, (attacker, number) => ({
    body: {
      model: attacker.model(number),
      stream: true,
      messages: [{ role: 'user', content: `Read. [[sandbox: first_ms=15000]] ${longPrompt}` }],
    },
  })),
  asking('long thoughts, plain', { atOnce: 18, perSecond: 18 }, (attacker, number) => ({
    body: attacker.chat(number, 'first_ms=60000'),
  })),
];
