import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PublicProbe } from '../auth/http/route-access.decorators';
import { Unwrapped } from '../common/http/responses/envelope.interceptor';
import { type PlatformResponse, rawResponseOf } from '../common/http/connections/raw-http';
import { VERSION } from '../common/version';
import { HealthService } from './health.service';

@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** Does not check dependencies: a restart would not repair them. */
  @Get('live')
  @PublicProbe()
  @Unwrapped()
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** The version and the state of each component. Responds with 503 if a component is down. */
  @Get('ready')
  @PublicProbe()
  @Unwrapped()
  async ready(@Res({ passthrough: true }) response: PlatformResponse): Promise<Record<string, string>> {
    const components = Object.entries(await this.health.read());
    const isReady = components.every(([, { isUp }]) => isUp);
    rawResponseOf(response).statusCode = isReady ? 200 : 503;
    const messages = Object.fromEntries(components.map(([name, { message }]) => [name, message]));
    return { status: isReady ? 'ok' : 'unavailable', version: VERSION, ...messages };
  }
}
