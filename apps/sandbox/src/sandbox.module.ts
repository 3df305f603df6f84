import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { defaultBehaviour } from './behaviour/read-behaviour';
import { Breath } from './breath/breath';
import { ControlController } from './breath/control.controller';
import type { SandboxEnvironment } from './environment';
import { Ledger } from './ledger/ledger';
import { LedgerController } from './ledger/ledger.controller';
import { DEFAULT_BEHAVIOUR, VoiceRoutes } from './voice/voice-routes';
import { OpenaiChatRoutes } from './openai-chat/routes';
import { Planner } from './openai-chat/planner';

@Module({})
export class SandboxModule {
  /** @throws ControlError when SANDBOX_DEFAULTS holds a control that is unknown. */
  static with(environment: SandboxEnvironment): DynamicModule {
    const defaults = defaultBehaviour(environment.SANDBOX_DEFAULTS);
    return {
      module: SandboxModule,
      controllers: [LedgerController, ControlController],
      providers: [
        Breath,
        OpenaiChatRoutes,
        VoiceRoutes,
        { provide: DEFAULT_BEHAVIOUR, useValue: defaults },
        { provide: Ledger, useFactory: () => new Ledger(environment.SANDBOX_LEDGER_MAX) },
        { provide: Planner, useFactory: () => new Planner(defaults) },
      ],
    };
  }
}
