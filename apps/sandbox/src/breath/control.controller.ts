import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { Breath } from './breath';

/** Holds and frees the sandbox's breath: POST /control/pause, POST /control/resume. */
@Controller()
export class ControlController {
  constructor(private readonly breath: Breath) {}

  @Post('control/pause')
  @HttpCode(200)
  async pause(): Promise<{ paused: boolean }> {
    await this.breath.hold();
    return { paused: true };
  }

  @Post('control/resume')
  @HttpCode(200)
  resume(): { paused: boolean } {
    this.breath.resume();
    return { paused: false };
  }

  @Get('healthz')
  health(): { status: string; paused: boolean } {
    return { status: 'ok', paused: this.breath.isHeld };
  }
}
