import 'reflect-metadata';
import { startService } from '@tollgate/service';
import { metering } from './metering.module';

startService(metering);
