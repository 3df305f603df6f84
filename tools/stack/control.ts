import type { Operation } from '@tollgate/contracts';
import type { accountsOperations } from '@tollgate/contracts/accounts';
import { ControlClient, connectToNats } from '@tollgate/messaging';
import type { NatsAddress } from '@tollgate/messaging';
import type { z } from 'zod';

export type NewKeyRequest = z.input<typeof accountsOperations.createKey.request>;
export type NewKey = z.output<typeof accountsOperations.createKey.reply>;

const timeoutMs = 10_000;

/**
 * Calls one control operation of a running stack, on a connection of its own.
 * @throws ControlError when the service refuses or does not answer.
 */
export async function callControl<Request extends z.ZodType, Reply extends z.ZodType>(
  nats: NatsAddress,
  operation: Operation<Request, Reply>,
  request: z.input<Request>,
): Promise<z.output<Reply>> {
  const connection = await connectToNats({ ...nats, name: 'tools' });
  try {
    return await new ControlClient(connection).call(operation, request, { timeoutMs });
  } finally {
    await connection.close();
  }
}
