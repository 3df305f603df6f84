import { setModelOperations } from '@tollgate/contracts';
import { route } from '../route';
import { doRecorded } from './record-act';

const { list, set, remove } = setModelOperations;

/** Models, their deployments and their fallbacks that are set without tollgate.yaml. */
export const setModelRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/models/settings',
    access: 'administrator',
    summary: 'Models of which the file or the settings say something, whether it holds, and what the settings say',
    answer: list.reply,
    handle: (_asked, services) => services.ask(list, {}),
  }),
  route({
    method: 'POST',
    path: '/api/admin/models',
    access: 'administrator',
    summary: 'Add a model, or change its deployments, its fallbacks and what else is said of it, but its price',
    body: set.request.omit({ by: true }),
    answer: set.reply,
    handle: ({ body, signedIn }, services) => doRecorded(set, body, signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/models/remove',
    access: 'administrator',
    summary: 'Take a model out of the settings: what the release says of it holds again, a new one is gone',
    body: remove.request.omit({ by: true }),
    answer: remove.reply,
    handle: ({ body, signedIn }, services) => doRecorded(remove, body, signedIn, services),
  }),
];
