import { Controller, Get, Header, Headers } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import { Public } from '../auth/public';
import { AnswersBare } from '../common/http/envelope.interceptor';
import { MetricsService } from './metrics.service';

/** For Prometheus. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  @Public()
  @AnswersBare()
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  read(@Headers('authorization') authorization?: string): Promise<string> {
    this.metrics.admit(authorization);
    return this.metrics.read();
  }
}
