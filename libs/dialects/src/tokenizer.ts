import type { TokenizerTask } from '@tollgate/contracts/inference';
import { DocumentReader } from './canonical/document-reader';
import type { ReadDocument } from './canonical/document-reader';
import { passedRequest } from './canonical/passed-request';
import { SniffingReader } from './canonical/sniffing-reader';
import { errorOf } from './openai-chat/completion';
import { readErrorInAnswer } from './openai-chat/read-error';
import type { PreparedAttempt, UpstreamTarget } from './provider-dialect';
import { parseJson } from './wire/json-value';

/** A document of more bytes is no error. */
const maxErrorBytes = 64 * 1024;

/**
 * A question to the tokenizer of a server of one's own: bytes pass in both directions, and only the model's
 * name is touched. The path is beside `/v1`.
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 * https://docs.vllm.ai/en/latest/serving/online_serving/
 */
export function tokenizerAttempt(task: TokenizerTask, body: Uint8Array, target: UpstreamTarget): PreparedAttempt {
  const { name } = target.provider;
  const read = (document: Buffer): ReadDocument => {
    const error = document.length > maxErrorBytes ? null : errorOf(parseJson(document.toString('utf8')));
    return error === null ? { bytes: document, usage: null } : { error: readErrorInAnswer(error, name) };
  };
  return {
    request: passedRequest(`/${task}`, body, target, ['model']),
    answerReader: () => new SniffingReader(name, 'document', () => new DocumentReader(name, read)),
  };
}
