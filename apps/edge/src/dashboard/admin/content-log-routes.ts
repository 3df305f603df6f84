import { administrationOperations } from '@tollgate/contracts/accounts';
import { contentLogOperations, loggedContent } from '@tollgate/contracts/metering';
import { eventId } from '../account/content-log-routes';
import { nothing, route } from '../route';

/** What was logged of the requests of everybody. */
export const adminContentLogRoutes = [
  route({
    method: 'POST',
    path: '/api/admin/content-log/:id/read',
    access: 'administrator',
    summary: 'A logged request of anybody and its answer; the audit log of its account keeps who read it',
    body: nothing,
    answer: loggedContent,
    handle: async (asked, services) => {
      const { id, requestId, keyId, accountId } = await services.ask(contentLogOperations.find, {
        id: eventId(asked),
      });
      const { email: actor } = asked.signedIn.person;
      const detail = { eventId: id, requestId, keyId };
      // What cannot be written down is not shown.
      await services.ask(administrationOperations.recordAct, { accountId, actor, action: 'content-read', detail });
      return services.ask(contentLogOperations.read, { id });
    },
  }),
];
