import 'reflect-metadata';
import { startService } from '@tollgate/service';
import { accounts } from './accounts.module';

startService(accounts);
