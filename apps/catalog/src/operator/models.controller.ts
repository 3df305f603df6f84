import { Controller } from '@nestjs/common';
import { catalogOperations, ControlError } from '@tollgate/contracts';
import { isDatabaseUnavailable } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { ModelSwitch } from './model-switch';

type Request = z.output<typeof catalogOperations.setModelEnabled.request>;
type Reply = z.input<typeof catalogOperations.setModelEnabled.reply>;

/** What operators decide about models. */
@Controller()
export class ModelsController {
  constructor(private readonly models: ModelSwitch) {}

  @Serve(catalogOperations.setModelEnabled)
  async setEnabled({ model, enabled }: Request): Promise<Reply> {
    try {
      await this.models.set(model, enabled);
      return { model, enabled };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      throw new ControlError('unavailable', 'The database of the catalog does not answer. Nothing was changed.');
    }
  }
}
