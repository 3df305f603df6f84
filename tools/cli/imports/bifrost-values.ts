import { z } from 'zod';

/**
 * A text of Bifrost's configuration that may stand in the environment: `env.NAME`, or an object that says so.
 * https://docs.getbifrost.ai/deployment-guides/config-json
 */
export const secretText = z.union([
  z.string(),
  z
    .looseObject({ value: z.string().nullish(), env_var: z.string().nullish(), from_env: z.boolean().nullish() })
    .transform(({ value, env_var: name, from_env: isNamed }) =>
      isNamed && name ? `env.${name.replace(/^env\./, '')}` : (value ?? ''),
    ),
]);

/** The variable that `env.NAME` names; null: it is no such reference. */
export function envName(text: string): string | null {
  return /^env\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(text)?.[1] ?? null;
}

const unitsS: Readonly<Record<string, number>> = {
  ...{ s: 1, m: 60, h: 3_600, d: 86_400, w: 7 * 86_400 },
  // A month is as long here as the window of a budget that stands for it, a year is longer than any.
  ...{ M: 30 * 86_400, Y: 365 * 86_400 },
};

/** A length such as `30s`, `1h`, `1M` in seconds; 0: nobody knows it. */
export function secondsOf(duration: string): number {
  const [, number = '', unit = ''] = /^(\d+)([smhdwMY])$/.exec(duration.trim()) ?? [];
  return Number(number) * (unitsS[unit] ?? 0);
}
