import { statSync } from 'node:fs';
import { z } from 'zod';
import { EnvironmentError, readEnvironment } from '../environment';
import { loadTollgateFile } from '../tollgate-file/load-tollgate-file';
import { TollgateFileError } from '../tollgate-file/tollgate-file-error';
import { serviceVariables } from './service-variables';

const instances = z.coerce
  .number()
  .int('must be a whole number')
  .min(1, 'must be at least 1: without any, nobody answers');
const publicPort = z.coerce.number().int().min(1).max(65_535);

/** What Docker Compose reads beside the variables of the services. */
const composeVariables = z.object({
  EDGE_INSTANCES: instances.optional(),
  INFERENCE_INSTANCES: instances.optional(),
  TOLLGATE_DOMAIN: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, 'must be the name of a host alone, without https:// and port')
    .optional(),
  TOLLGATE_HTTP_PORT: publicPort.optional(),
  TOLLGATE_HTTPS_PORT: publicPort.optional(),
  GRAFANA_PORT: publicPort.optional(),
});

/**
 * Everything that is wrong with the settings of an installation, a sentence each, so that all is told before
 * anything starts. What an installation makes by itself (secrets, addresses of its own servers) may be
 * missing.
 */
export function settingFaults(environment: NodeJS.ProcessEnv): string[] {
  const schemas = [...Object.values(serviceVariables).map((schema) => schema.partial()), composeVariables];
  const faults = schemas.flatMap((schema) => faultsOf(() => readEnvironment(schema, environment)));
  return [...new Set([...faults, ...sharingFaults(environment), ...fileFaults(environment.TOLLGATE_CONFIG)])];
}

function sharingFaults({ EDGE_INSTANCES: edges, VALKEY_URL: valkey }: NodeJS.ProcessEnv): string[] {
  if (Number(edges) > 1 && !valkey)
    return ['EDGE_INSTANCES: several edges share their rate limits in Valkey, so VALKEY_URL must be set'];
  return [];
}

function fileFaults(path: string | undefined): readonly string[] {
  if (!path) return [];
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return [
      `TOLLGATE_CONFIG: ${path} is a folder. Docker makes one where the file that was named is not there: remove it, and name the file`,
    ];
  return faultsOf(() => loadTollgateFile(path));
}

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof EnvironmentError || error instanceof TollgateFileError) return error.problems;
    throw error;
  }
}
