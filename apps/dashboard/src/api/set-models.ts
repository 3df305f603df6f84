import { setModelOperations, type SetModel, type StatedModel } from '@tollgate/contracts/catalog';
import { get, post, remove } from './client';

const { list, set } = setModelOperations;

export type { SetModel, StatedModel };

/** What is absent stays as it is said; `unset`: what is said no more. `version`: what it was made from. */
export interface ModelWish extends StatedModel {
  model: string;
  version: number;
  unset?: string[];
  mustBeNew?: boolean;
  reason?: string;
}

/** Models of which the file or the settings say something. */
export const fetchSetModels = () => get('/api/admin/models/settings', list.reply);
export const setModel = (wish: ModelWish) => post('/api/admin/models', wish, set.reply);
export const removeModel = (model: string) => remove('/api/admin/models/remove', { model });
