import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import { ServiceSettings } from '@tollgate/service';

/** What constructors ask for with `@Inject(DATABASE)`: the tables of the catalog. */
export const DATABASE = Symbol('database of the catalog');

/** How the catalog runs. */
export class CatalogSettings extends ServiceSettings {
  /** Undefined: the catalog is the seed alone. */
  readonly configurationFile: string | undefined;
  /** Prices that were taken from their source longer ago are marked. */
  readonly pricesOldAfterDays: number;
  /** Hosts of providers that are set without the file which may be private, or speak plain HTTP. */
  readonly providerPrivateHosts: readonly string[];

  /** @throws EnvironmentError naming every variable at fault. */
  constructor(environment: NodeJS.ProcessEnv = process.env) {
    const values = readEnvironment(serviceVariables.catalog, environment);
    super(values);
    this.configurationFile = values.TOLLGATE_CONFIG;
    this.pricesOldAfterDays = values.PRICES_OLD_AFTER_DAYS;
    this.providerPrivateHosts = values.PROVIDER_PRIVATE_HOSTS;
  }
}
