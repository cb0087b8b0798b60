import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
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
  async read(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    this.metrics.admit(request.get('authorization'));
    response.type(this.metrics.contentType);
    return this.metrics.read();
  }
}
