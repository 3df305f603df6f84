import { Injectable } from '@nestjs/common';
import { openaiResponsesSurface } from '@tollgate/dialects/surface';
import { RequestContexts } from '../http/request-context';
import { BackgroundWorks } from '../responses/background/background-works';
import { GenerationEndpoint } from './generation-endpoint';
import { InnerRequest } from './inner-exchange';
import { operationAt } from './operations';

/**
 * Makes the responses in the background that other edges left behind: each again as if its request had come
 * now, of the caller that it came of.
 */
@Injectable()
export class RemadeResponses {
  constructor(works: BackgroundWorks, endpoint: GenerationEndpoint, contexts: RequestContexts) {
    const { path } = openaiResponsesSurface;
    const operation = operationAt(path);
    works.onTaken(({ work, caller, request }) => {
      const message = new InnerRequest(path, request.headers, request.body);
      void endpoint.handle(operation, message, work.raw, contexts.begin(message), { caller, work });
    });
  }
}
