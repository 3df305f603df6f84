import 'reflect-metadata';
import { partOf, startTogether } from '@tollgate/service';
import { accounts } from '../../accounts/src/accounts.module';
import { catalog } from '../../catalog/src/catalog.module';
import { metering } from '../../metering/src/metering.module';

startTogether(partOf(accounts), partOf(catalog), partOf(metering));
