import { loggedContent } from '@tollgate/contracts/metering';
import { z } from 'zod/mini';
import { ApiError } from './api-error';
import { get, post, tell } from './client';

const id = encodeURIComponent;
const removed = z.object({ removed: z.number(), isDone: z.boolean() });

/** A logged request of one's own. Null: nothing of it is kept. */
export async function fetchContent(eventId: string) {
  try {
    return await get(`/api/content-log/${id(eventId)}`, loggedContent);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** A logged request of anybody: reading it is written into the audit log. */
export const readContent = (eventId: string) => post(`/api/admin/content-log/${id(eventId)}/read`, {}, loggedContent);

export const removeContent = (eventId: string) => tell(`/api/content-log/${id(eventId)}/remove`);

/** All that was logged of a key. Returns how many requests that were. */
export async function removeContentOf(keyId: string): Promise<number> {
  for (let count = 0; ;) {
    const part = await post(`/api/keys/${id(keyId)}/content-log/remove`, {}, removed);
    count += part.removed;
    if (part.isDone) return count;
  }
}
