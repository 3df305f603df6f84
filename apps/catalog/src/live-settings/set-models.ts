import { Injectable } from '@nestjs/common';
import { readableSettings, settingsChanges, withEntry, withoutEntry } from '@tollgate/configuration';
import { ControlError, type ServedBy, type setModelOperations } from '@tollgate/contracts';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { noSettings } from '../operator/operator-choices';
import { orInvalid, SettingsChanges } from './settings-changes';
import { SettingsHistory } from './settings-history';

type Served = ServedBy<typeof setModelOperations>;

/** Models that administrators set without the file, as entries of the settings. */
@Injectable()
export class SetModels {
  constructor(
    private readonly history: SettingsHistory,
    private readonly changes: SettingsChanges,
    private readonly file: ConfigurationFile,
  ) {}

  async list(): Promise<Served['list']['reply']> {
    const { version, document } = (await this.history.newest()) ?? noSettings;
    const said = new Map(readableSettings(document).settings.models.map(({ id, ...fields }) => [id, fields]));
    const models = this.changes
      .entries(document)
      .flatMap(({ section, id, origin, standing, problem }) =>
        section === 'models' && id !== null
          ? [{ model: id, origin, standing, problem, said: (origin === 'settings' ? said.get(id) : null) ?? null }]
          : [],
      );
    return { version, models };
  }

  /** A version of the settings with this; what is as it was is no version. @throws ControlError. */
  set({
    model,
    version: of,
    mustBeNew = false,
    unset,
    reason,
    by,
    ...fields
  }: Served['set']['request']): Promise<Served['set']['reply']> {
    const unsaid = Object.fromEntries(unset.map((field) => [field, null]));
    return this.changes.fromNewest(of, async ({ version, document: before }) => {
      if (mustBeNew && this.isThere(model, before))
        throw new ControlError(
          'conflict',
          `There is a model ${model} already. Choose another id, or change that model.`,
        );
      const after = orInvalid(() => withEntry(before, 'models', model, { ...fields, ...unsaid }));
      const changes = settingsChanges(readableSettings(before).settings, readableSettings(after).settings);
      const document = changes.length === 0 ? before : after;
      return this.changes.apply({ document, version, reason, dryRun: false, by });
    });
  }

  /** @throws ControlError `not_found`, and `invalid` where another entry needs the model. */
  remove({ model, version: of, reason, by }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return this.changes.fromNewest(of, async ({ version, document: before }) => {
      const document = orInvalid(() => withoutEntry(before, 'models', model));
      if (document === null) {
        const isOfFile = this.file.inForce.file.models.some(({ id }) => id === model);
        const where = isOfFile ? ' It stands in tollgate.yaml: change it there.' : '';
        throw new ControlError('not_found', `The settings say nothing of the model ${model}.${where}`);
      }
      return this.changes.apply({ document, version, reason, dryRun: false, by });
    });
  }

  /** Whether the release, the file or this document has a model of this id. */
  private isThere(model: string, document: string): boolean {
    const isOne = ({ id }: { id: string }) => id === model;
    return this.file.inForce.catalog.models.some(isOne) || readableSettings(document).settings.models.some(isOne);
  }
}
