import 'reflect-metadata';
import { startService } from '@tollgate/service';
import { edge } from './edge.module';

startService(edge);
