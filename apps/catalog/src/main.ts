import 'reflect-metadata';
import { startService } from '@tollgate/service';
import { catalog } from './catalog.module';

startService(catalog);
