import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { LimitsConcurrency } from '../../../auth/http/concurrency.interceptor';
import { Clock } from '../../../common/clock';
import {
  ApiEndpoint,
  ApiData,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
  ApiPathId,
} from '../../../common/http/openapi-decorators';
import { DeliveryHistoryService } from '../../history/delivery-history.service';
import { DeliveryIdPipe } from '../../history/http/delivery-id.pipe';
import { DeliveryResponse, toDeliveryResponse } from '../../history/http/delivery.response';
import { WebhookIdPipe } from '../../subscriptions/http/webhook-id.pipe';
import {
  DeliveryNotFound,
  DeliveryUnderWay,
  WebhookDeleted,
  WebhookNotFound,
  WebhookPaused,
} from '../../webhooks.errors';
import { WebhookRedeliveryService } from '../webhook-redelivery.service';
import { ReplayRequest } from './replay.request';
import { ReplayResponse, toReplayResponse } from './replay.response';

@ApiTags('Webhooks')
@Controller('webhooks')
export class RedeliveryController {
  constructor(
    private readonly redelivery: WebhookRedeliveryService,
    private readonly history: DeliveryHistoryService,
    private readonly clock: Clock,
  ) {}

  @Post('notifications/:id/redeliver')
  @ApiEndpoint(
    'redeliverWebhookNotification',
    'Deliver an event again',
    'Sends the same body and idempotency key immediately. The attempt does not count towards the retry schedule, and ' +
      'the next scheduled attempt stays when it was due.',
  )
  @ApiPathId('id', 'Delivery record id')
  @ApiData(DeliveryResponse, 'The delivery, with the scheduled attempt')
  @ApiErrors(DeliveryNotFound, DeliveryUnderWay, WebhookPaused, WebhookDeleted)
  @HttpCode(200)
  async redeliver(
    @CurrentAccount() account: AccountScope,
    @Param('id', DeliveryIdPipe) id: Types.ObjectId,
  ): Promise<DeliveryResponse> {
    const delivery = await this.redelivery.redeliver(account, id);
    return toDeliveryResponse(await this.history.addDevice(account, delivery));
  }

  @LimitsConcurrency('replays', 2)
  @Post(':webhookId/replay')
  @ApiEndpoint(
    'replayWebhook',
    'Replay the deliveries of a time range',
    'For an endpoint that was down or lost data. Each delivery is attempted again with the same body and idempotency ' +
      'key, and its retry schedule starts again. Deliveries with an attempt in progress are skipped.',
  )
  @ApiPathId('webhookId', 'Subscription id')
  @ApiJsonBody(ReplayRequest)
  @ApiData(ReplayResponse, 'How many deliveries were scheduled')
  @ApiFieldError('from', 'must be a date, or an ISO 8601 time with its zone')
  @ApiErrors(WebhookNotFound, WebhookPaused, WebhookDeleted)
  @HttpCode(200)
  async replay(
    @CurrentAccount() account: AccountScope,
    @Param('webhookId', WebhookIdPipe) id: Types.ObjectId,
    @Body() body: ReplayRequest,
  ): Promise<ReplayResponse> {
    const { filter, position } = body.read(this.clock.now());
    return toReplayResponse(await this.redelivery.replay(account, id, filter, position));
  }
}
