import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../../auth/account-scope';
import { LimitsConcurrency } from '../../../../auth/http/concurrency.interceptor';
import { ApiData, ApiEndpoint } from '../../../../common/http/openapi-decorators';
import { QueueResponse } from './send-queue.response';
import { SendQueueService } from '../send-queue.service';

@ApiTags('Messages')
@Controller('gateway/queue')
export class SendQueueController {
  constructor(private readonly queue: SendQueueService) {}

  @LimitsConcurrency('lists', 50)
  @Get()
  @ApiEndpoint(
    'getQueue',
    'Read what waits to be sent',
    'Counts the messages that wait on the server by the SIM that sends them, what holds them back, and when each SIM will have sent them at its pace and within its limits, if nothing else is sent.',
  )
  @ApiData(QueueResponse, 'The queue')
  async read(@CurrentAccount() account: AccountScope): Promise<QueueResponse> {
    const { sims, ...queue } = await this.queue.read(account);
    return {
      ...queue,
      sims: sims.map(({ device, sim, ...rest }) => ({
        ...rest,
        device: device.toHexString(),
        ...(sim && { sim: sim.toHexString() }),
      })),
    };
  }
}
