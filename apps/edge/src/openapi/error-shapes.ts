import { errorDetails } from '@tollgate/contracts';
import { z } from 'zod';

/** The body of every error, but for those of the messages endpoints. */
export const errorAnswer = z.object({
  error: z.object({
    message: z.string(),
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'permission_error',
      'not_found_error',
      'rate_limit_error',
      'internal_error',
      'upstream_error',
      'overloaded_error',
      'timeout_error',
    ]),
    code: z.number().int().describe('The HTTP status'),
    reason: z.literal('guardrail_blocked').optional().describe('Why a guardrail of the operator is named'),
    guardrail: z.string().optional().describe('The guardrail that refused the request or the answer'),
    details: errorDetails.optional().describe('What programs act on, such as the reason context_length_exceeded'),
  }),
});

/** The body of every error of the messages endpoints, as Anthropic's clients read it. */
export const messagesErrorAnswer = z.object({
  type: z.literal('error'),
  error: errorAnswer.shape.error.extend({
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'permission_error',
      'not_found_error',
      'request_too_large',
      'rate_limit_error',
      'api_error',
      'overloaded_error',
      'timeout_error',
    ]),
  }),
  request_id: z.string(),
});
