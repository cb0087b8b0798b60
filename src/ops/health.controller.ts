import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/public';
import { AnswersBare } from '../common/http/envelope.interceptor';
import { type PlatformResponse, rawResponseOf } from '../common/http/raw-http';
import { HealthService } from './health.service';

/** For whoever keeps the process running. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** Whether the process runs: nothing that it depends on makes a restart worth while. */
  @Get('live')
  @Public()
  @AnswersBare()
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** Whether all its parts are well: 503 says which are not. */
  @Get('ready')
  @Public()
  @AnswersBare()
  async ready(@Res({ passthrough: true }) response: PlatformResponse): Promise<Record<string, string>> {
    const parts = Object.entries(await this.health.read());
    const isReady = parts.every(([, { isWell }]) => isWell);
    rawResponseOf(response).statusCode = isReady ? 200 : 503;
    const said = Object.fromEntries(parts.map(([part, { says }]) => [part, says]));
    return { status: isReady ? 'ok' : 'unavailable', ...said };
  }
}
