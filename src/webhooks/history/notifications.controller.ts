import { Controller, Get, HttpCode, Param, Post, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { LimitsConcurrency } from '../../auth/limits/concurrency.interceptor';
import {
  ApiEndpoint,
  ApiData,
  ApiErrors,
  ApiFieldError,
  ApiPathId,
} from '../../common/http/openapi-decorators';
import { DeliveryHistoryService } from './delivery-history.service';
import {
  toHistoryResponse,
  DeliveryDetailResponse,
  DeliveryResponse,
  HistoryResponse,
  toDeliveryDetailResponse,
  toDeliveryResponse,
} from '../dto/delivery.response';
import { HistoryRequest } from '../dto/history.request';
import { DeliveryIdPipe } from '../id.pipes';
import { WebhookRedeliveryService } from '../redelivery/webhook-redelivery.service';
import {
  DeliveryNotFound,
  DeliveryUnderWay,
  WebhookDeleted,
  WebhookNotFound,
  WebhookPaused,
} from '../webhooks.errors';

const ApiDeliveryId = () => ApiPathId('id', 'Delivery record id');

@ApiTags('Webhooks')
@Controller('webhooks/notifications')
export class NotificationsController {
  constructor(
    private readonly history: DeliveryHistoryService,
    private readonly redelivery: WebhookRedeliveryService,
  ) {}

  @LimitsConcurrency('lists', 50)
  @Get()
  @ApiEndpoint(
    'listWebhookNotifications',
    'Read the delivery history',
    'For all subscriptions of the account, including deleted ones, newest first.',
  )
  @ApiData(HistoryResponse, 'A page of the history')
  @ApiFieldError('deviceId', 'is not a valid id')
  @ApiErrors(WebhookNotFound)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() request: HistoryRequest,
  ): Promise<HistoryResponse | StreamableFile> {
    const query = request.read();
    return toHistoryResponse(query, await this.history.openPage(account, query));
  }

  @Get(':id')
  @ApiEndpoint(
    'getWebhookNotification',
    'Get a delivery with its attempts',
    'Each attempt has its time, duration, status code and error.',
  )
  @ApiDeliveryId()
  @ApiData(DeliveryDetailResponse, 'The delivery')
  @ApiErrors(DeliveryNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @Param('id', DeliveryIdPipe) id: Types.ObjectId,
  ): Promise<DeliveryDetailResponse> {
    return toDeliveryDetailResponse(await this.history.getWithDevice(account, id));
  }

  @Post(':id/redeliver')
  @ApiEndpoint(
    'redeliverWebhookNotification',
    'Deliver an event again',
    'Sends the same body and idempotency key immediately. The attempt does not count towards the retry schedule, and ' +
      'the next scheduled attempt stays when it was due.',
  )
  @ApiDeliveryId()
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
}
