import 'reflect-metadata';
import { startService } from '@tollgate/service';
import { inference } from './inference.module';

startService(inference);
