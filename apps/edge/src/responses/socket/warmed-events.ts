import { warmedResponse } from '@tollgate/dialects/surface';

/**
 * The events of a response that only prepares the next one, as a stream. `body`: its request.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 */
export function warmedEvents(body: Uint8Array, head: { id: string; model: string; createdAtS: number }): string {
  return (['in_progress', 'completed'] as const)
    .map((status, number) => {
      const type = status === 'completed' ? 'response.completed' : 'response.created';
      const event = { type, sequence_number: number, response: warmedResponse(body, head, status) };
      return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}
