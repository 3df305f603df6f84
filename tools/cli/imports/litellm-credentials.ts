import { z } from 'zod';
import { listedParams, type ListedDeployment } from './litellm-deployment';
import type { SettingsReport } from './settings-report';
import { sift } from './sift';

/**
 * Values of `litellm_params` that several deployments name together.
 * https://docs.litellm.ai/docs/proxy/ui_credentials
 */
export const listedCredential = z.looseObject({
  credential_name: z.string(),
  credential_values: z.record(z.string(), z.unknown()).nullish(),
});

interface Listed {
  model_list?: ListedDeployment[] | null | undefined;
  credential_list?: z.output<typeof listedCredential>[] | null | undefined;
}

/** Writes the values of credentials into the deployments that name them, whose own count more. */
export function withCredentials<Config extends Listed>(config: Config, report: SettingsReport): Config {
  const values = new Map(
    (config.credential_list ?? []).map(({ credential_name: name, credential_values: said }) => [name, said ?? {}]),
  );
  return { ...config, model_list: config.model_list?.map((one) => withItsOwn(one, values, report)) };
}

function withItsOwn(
  one: ListedDeployment,
  values: ReadonlyMap<string, Record<string, unknown>>,
  report: SettingsReport,
): ListedDeployment {
  const { litellm_credential_name: name, ...said } = one.litellm_params;
  if (typeof name !== 'string') return one;
  const shared = values.get(name);
  if (shared) {
    report.carried('credential_list', 'what a credential says stands at the provider of each deployment that names it');
    return { ...one, litellm_params: sift(listedParams, { ...shared, ...said }, report) };
  }
  const why = 'is not in credential_list: one of its database is sealed';
  report.left(
    'litellm_params.litellm_credential_name',
    `${name} ${why}; give the provider its address and key by hand`,
  );
  return { ...one, litellm_params: said };
}
