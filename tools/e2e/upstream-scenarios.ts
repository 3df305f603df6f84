/**
 * A way in which a provider fails, as controls of the simulated provider. `plain`, `stream`: what becomes of
 * such a request where no other provider is there.
 * hidden: a retry or patience is enough; a status: the caller is told so; cut: the answer had begun, and ends
 * with a visible error.
 */
export interface UpstreamScenario {
  name: string;
  controls: string;
  plain: Fate;
  stream: Fate;
}

export type Fate = 'hidden' | 'cut' | number;

export const upstreamScenarios: UpstreamScenario[] = [
  { name: '500', controls: 'fault=500', plain: 502, stream: 502 },
  { name: '429-with-retry-after', controls: 'fault=429&retry_after=30', plain: 503, stream: 503 },
  { name: 'hang', controls: 'fault=hang', plain: 504, stream: 504 },
  { name: 'slow-first-token', controls: 'first_ms=20000', plain: 504, stream: 504 },
  { name: 'reset-before-headers', controls: 'fault=reset_before', plain: 502, stream: 502 },
  { name: 'reset-after-headers', controls: 'fault=reset_headers', plain: 502, stream: 502 },
  { name: 'truncated-stream', controls: 'fault=truncate', plain: 502, stream: 'cut' },
  { name: 'stalled-stream', controls: 'fault=stall', plain: 504, stream: 'cut' },
  { name: 'malformed-json', controls: 'fault=malformed', plain: 502, stream: 'cut' },
  { name: 'html-error', controls: 'fault=html', plain: 502, stream: 502 },
  { name: 'empty-body', controls: 'fault=empty', plain: 502, stream: 502 },
  { name: 'error-before-first-token', controls: 'fault=error_first', plain: 502, stream: 502 },
  { name: 'error-after-first-token', controls: 'fault=error_mid', plain: 502, stream: 'cut' },
  { name: 'context-length', controls: 'fault=context', plain: 400, stream: 400 },
  { name: '401', controls: 'fault=401', plain: 502, stream: 502 },
  { name: 'flapping', controls: 'fault=flap', plain: 'hidden', stream: 'hidden' },
  { name: 'slow-trickle', controls: 'fault=trickle', plain: 'hidden', stream: 'hidden' },
];

/**
 * The name under which the failing provider knows the model of a scenario; the simulated provider reads its
 * controls from it.
 */
export function sickModel({ controls }: UpstreamScenario): string {
  return `sick?at=12&${controls}`;
}

/**
 * A failing provider of the cloud for each scenario, YAML of tollgate.yaml. Each has a budget of retries of
 * its own. Those that keep their callers waiting have short time limits, the others those of a cloud: a busy
 * machine must not look like a silent provider.
 */
export function scenarioProviders(baseUrl: string): string {
  return upstreamScenarios
    .map(({ name, plain, stream }) => {
      const firstByteMs = stream === 'cut' ? 5_000 : 1_000;
      const timeouts = plain === 504 ? `, timeouts: { firstByteMs: ${firstByteMs}, idleMs: 1000 }` : '';
      return `  - { id: sick-${name}, dialect: openai-chat, baseUrl: '${baseUrl}', apiKeyEnv: [], queues: false${timeouts} }`;
    })
    .join('\n');
}

/**
 * The models `alone/<name>`, which only the failing provider has, and `pair/<name>`, with a healthy provider
 * behind it; YAML of tollgate.yaml.
 */
export function scenarioModels(): string {
  return upstreamScenarios
    .map((scenario) => {
      const { name } = scenario;
      const place = (id: string) => `{ id: ${id}, provider: sick-${name}, upstreamModel: '${sickModel(scenario)}' }`;
      return `  - { id: alone/${name}, deployments: [${place(`alone-${name}`)}] }
  - { id: pair/${name}, deployments: [${place(`pair-${name}`)}, { id: healthy, provider: healthy, upstreamModel: well }] }`;
    })
    .join('\n');
}
