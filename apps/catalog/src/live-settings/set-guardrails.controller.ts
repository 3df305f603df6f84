import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { setGuardrailOperations } from '@tollgate/contracts/catalog';
import { Serve } from '@tollgate/messaging';
import { known, stored } from '../operator/stored';
import { SettingsEntries } from './settings-entries';

type Served = ServedBy<typeof setGuardrailOperations>;

/** What is said of no guardrail of its kind, so that one is set as a whole. */
const noFields = {
  ...{ patterns: null, ignoreCase: null, longest: null, detectors: null, keys: null, models: null },
};

/** Guardrails that administrators set without the file. */
@Controller()
export class SetGuardrailsController {
  constructor(private readonly entries: SettingsEntries) {}

  @Serve(setGuardrailOperations.list)
  async list(_asked: Served['list']['request']): Promise<Served['list']['reply']> {
    const { version, entries } = await known(this.entries.list('guardrails', ({ guardrails }) => guardrails));
    return { version, guardrails: entries };
  }

  @Serve(setGuardrailOperations.set)
  set({ guardrail, ...change }: Served['set']['request']): Promise<Served['set']['reply']> {
    const { id, keys, models, ...rule } = guardrail;
    const holdsFor = { ...(keys.length > 0 && { keys }), ...(models.length > 0 && { models }) };
    return stored(this.entries.set('guardrails', { id, ...change }, { ...noFields, ...rule, ...holdsFor }));
  }

  @Serve(setGuardrailOperations.remove)
  remove({ guardrail: id, ...change }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return stored(this.entries.remove('guardrails', { id, ...change }));
  }
}
