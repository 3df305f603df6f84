import { Controller } from '@nestjs/common';
import { contentLogOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import type { ContentLogReply, ContentLogRequest } from '../operations';
import { ContentLog } from './content-log';

/** Keeps, shows and removes logged requests and answers. */
@Controller()
export class ContentLogController {
  constructor(private readonly log: ContentLog) {}

  @Serve(contentLogOperations.record)
  record({ entries }: ContentLogRequest<'record'>): Promise<ContentLogReply<'record'>> {
    return databaseAnswer(async () => {
      await this.log.record(entries);
      return {};
    });
  }

  @Serve(contentLogOperations.find)
  find({ id, ...reach }: ContentLogRequest<'find'>): Promise<ContentLogReply<'find'>> {
    return databaseAnswer(() => this.log.find(id, reach));
  }

  @Serve(contentLogOperations.read)
  read({ id, ...reach }: ContentLogRequest<'read'>): Promise<ContentLogReply<'read'>> {
    return databaseAnswer(() => this.log.read(id, reach));
  }

  @Serve(contentLogOperations.remove)
  remove({ id, ...reach }: ContentLogRequest<'remove'>): Promise<ContentLogReply<'remove'>> {
    return databaseAnswer(async () => {
      await this.log.remove(id, reach);
      return {};
    });
  }

  @Serve(contentLogOperations.removeOfKey)
  removeOfKey({ keyId, ...reach }: ContentLogRequest<'removeOfKey'>): Promise<ContentLogReply<'removeOfKey'>> {
    return databaseAnswer(() => this.log.removeOfKey(keyId, reach));
  }
}
