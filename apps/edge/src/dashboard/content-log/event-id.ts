import { GatewayError } from '@tollgate/contracts';
import { z } from 'zod';
import { param } from '../route';

/** The id of an event in the address. @throws GatewayError 404 for what cannot be one. */
export function eventId(asked: Parameters<typeof param>[0]): string {
  const id = z.uuid().safeParse(param(asked, 'id'));
  if (!id.success) throw new GatewayError(404, 'There is no such request.');
  return id.data;
}
