import type { INestApplicationContext } from '@nestjs/common';
import { openaiResponsesSurface } from '@tollgate/dialects/surface';
import { RequestContexts } from '../http/request-contexts';
import { BackgroundWorks } from '../responses/background/background-works';
import { GenerationEndpoint } from './generation-endpoint';
import { InnerRequest } from './inner-exchange';
import { operations } from './operations';

/** Begins to take over the responses in the background that other edges left behind: each is made again as if its request had come now, of the caller that it came of. */
export function remakeResponses(app: INestApplicationContext): void {
  const works = app.get(BackgroundWorks);
  const endpoint = app.get(GenerationEndpoint);
  const contexts = app.get(RequestContexts);
  const { path } = openaiResponsesSurface;
  const operation = operations.find((one) => one.path === path);
  if (!operation) throw new Error('there is no operation for responses');
  works.onRemade = ({ work, caller, request }) => {
    const message = new InnerRequest(path, request.headers, request.body);
    void endpoint.handle(operation, message, work.raw, contexts.begin(message), caller, work);
  };
  works.start();
}
