import { catalogOperations, ControlError, ModelIndex, nearestModels } from '@tollgate/contracts';
import type { ControlClient } from '@tollgate/messaging';

/**
 * That requests can name the model which is to serve what exceeds a soft budget. One that is not offered now
 * is taken: its provider may be set up later, and an account may bring a key of it.
 * @throws ControlError `invalid` where no model goes by this name, or several do; `unavailable` while the
 * catalog is away: nobody waits for it.
 */
export async function requireModel(control: ControlClient, name: string): Promise<void> {
  const index = new ModelIndex(await control.call(catalogOperations.snapshot, {}, { absentMs: 0 }));
  const meant = index.meant(name);
  if (index.preferred(meant)) return;
  const told = JSON.stringify(name);
  if (meant.length > 0) {
    const ids = meant.map(({ id }) => id).join(', ');
    throw new ControlError('invalid', `fallbackModel: ${told} may be one of several models: name ${ids}.`);
  }
  const near = nearestModels(name, index.makersFirst);
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  throw new ControlError('invalid', `fallbackModel: the catalog has no model ${told}.${hint}`);
}
