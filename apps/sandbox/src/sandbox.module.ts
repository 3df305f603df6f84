import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { defaultBehaviour } from './behaviour/read-behaviour';
import { Bills } from './bills/bills';
import { BillsController, GenerationsController } from './bills/bills.controller';
import { Pause } from './control/pause';
import { ControlController } from './control/control.controller';
import type { SandboxEnvironment } from './environment';
import { Ledger } from './ledger/ledger';
import { LedgerController } from './ledger/ledger.controller';
import { ModelList } from './control/model-list';
import { ModelListController } from './control/model-list.controller';
import { DEFAULT_BEHAVIOUR, Hearing } from './speech/hearing';
import { DialectRoutes } from './speech/routes';

@Module({})
export class SandboxModule {
  /** @throws ControlError when SANDBOX_DEFAULTS holds a control that is unknown. */
  static with(environment: SandboxEnvironment): DynamicModule {
    const defaults = defaultBehaviour(environment.SANDBOX_DEFAULTS);
    return {
      module: SandboxModule,
      controllers: [LedgerController, ControlController, ModelListController, BillsController, GenerationsController],
      providers: [
        Bills,
        Pause,
        Hearing,
        ModelList,
        DialectRoutes,
        { provide: DEFAULT_BEHAVIOUR, useValue: defaults },
        { provide: Ledger, useFactory: () => new Ledger(environment.SANDBOX_LEDGER_MAX) },
      ],
    };
  }
}
