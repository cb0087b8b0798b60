import { Controller, Get, Header, Headers } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import { PublicProbe } from '../auth/http/route-access.decorators';
import { Unwrapped } from '../common/http/responses/envelope.interceptor';
import { MetricsService } from './metrics.service';

@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  @PublicProbe()
  @Unwrapped()
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  read(@Headers('authorization') authorization?: string): Promise<string> {
    this.metrics.authorize(authorization);
    return this.metrics.read();
  }
}
