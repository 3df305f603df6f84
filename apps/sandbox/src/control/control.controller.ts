import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { Pause } from './pause';

/** Makes the sandbox pause and go on: POST /control/pause, POST /control/resume. */
@Controller()
export class ControlController {
  constructor(private readonly writing: Pause) {}

  @Post('control/pause')
  @HttpCode(200)
  async pause(): Promise<{ paused: boolean }> {
    await this.writing.hold();
    return { paused: true };
  }

  @Post('control/resume')
  @HttpCode(200)
  resume(): { paused: boolean } {
    this.writing.resume();
    return { paused: false };
  }

  @Get('healthz')
  health(): { status: string; paused: boolean } {
    return { status: 'ok', paused: this.writing.isHeld };
  }
}
