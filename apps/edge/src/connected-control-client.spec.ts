import { accountsOperations } from '@tollgate/contracts/accounts';
import { ConnectedControlClient } from './connected-control-client';
import type { MessagingLink } from './messaging-link';

/** A link whose NATS stands, and answers nothing until the test says that it is away. */
function setUp() {
  const tellers = new Set<() => void>();
  const questions = new Set<(error: Error) => void>();
  const link: Pick<MessagingLink, 'isUp' | 'isLost' | 'onceAway'> & { connection: object } = {
    isUp: true,
    isLost: false,
    connection: { request: () => new Promise((_, reject) => questions.add(reject)) },
    onceAway: (tell) => {
      tellers.add(tell);
      return () => tellers.delete(tell);
    },
  };
  /** As a connection does it that is given up. */
  const close = () => questions.forEach((refuse) => refuse(new Error('the connection is closed')));
  return { client: new ConnectedControlClient(link as unknown as MessagingLink), tellers, close };
}

it('waits no longer for an answer than NATS is there', async () => {
  const { client, tellers, close } = setUp();
  const answer = client.call(accountsOperations.resolveKey, { digest: 'd', formerDigests: [] }, { timeoutMs: 60_000 });
  expect(tellers.size).toBe(1);
  for (const tell of tellers) tell();
  await expect(answer).rejects.toMatchObject({ code: 'unavailable' });
  close();
});
