import { Refusal } from '../request/refusal';
import type { ErrorReply, WrittenError } from '../speech/simulated-dialect';

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors
 */
const wordings: Readonly<Record<number, [exception: string, message: string]>> = {
  400: ['ValidationException', 'The request was refused by the sandbox.'],
  401: ['UnrecognizedClientException', 'The security token included in the request is invalid.'],
  403: ['AccessDeniedException', "You don't have access to the model with the specified model ID."],
  404: ['ResourceNotFoundException', 'Could not resolve the foundation model from the provided model identifier.'],
  408: ['ModelTimeoutException', 'The model timed out.'],
  424: ['ModelErrorException', 'The model returned an error.'],
  429: ['ThrottlingException', 'Too many requests, please wait before trying again.'],
  500: [
    'InternalServerException',
    'The system encountered an unexpected error during processing. Try your request again.',
  ],
  503: ['ServiceUnavailableException', 'Bedrock is unable to process your request.'],
};

/** The kind of an error stands in a header. */
export function writeConverseError({ status, message }: ErrorReply): WrittenError {
  const [exception, usual] = wordings[status] ?? [
    'InternalServerException',
    `The sandbox was told to answer ${status}.`,
  ];
  return { body: JSON.stringify({ message: message ?? usual }), headers: { 'x-amzn-errortype': exception } };
}

/** The prompt holds more than the model takes. */
export function converseTooLong(): Refusal {
  return new Refusal('Input is too long for requested model.');
}
