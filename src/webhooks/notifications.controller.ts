import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { ApiAction, ApiData, ApiErrors, ApiFieldError } from '../common/http/openapi-decorators';
import { DeliveryHistoryService } from './delivery-history.service';
import {
  DeliveryDetailResponse,
  DeliveryResponse,
  HistoryResponse,
  toDeliveryDetailResponse,
  toDeliveryResponse,
  toHistoryResponse,
} from './dto/delivery.response';
import { HistoryRequest } from './dto/history.request';
import { DeliveryIdPipe } from './id.pipes';
import { RedeliveryService } from './redelivery.service';
import {
  DeliveryNotFound,
  DeliveryUnderWay,
  WebhookDeleted,
  WebhookNotFound,
  WebhookPaused,
} from './webhooks.errors';

const ApiDeliveryId = () =>
  ApiParam({
    name: 'id',
    description: 'Delivery record id',
    type: String,
    example: '665f1c2ab7e1d4a9c0f3e812',
  });

@ApiTags('Webhooks')
@Controller('webhooks/notifications')
export class NotificationsController {
  constructor(
    private readonly history: DeliveryHistoryService,
    private readonly redelivery: RedeliveryService,
  ) {}

  @Get()
  @ApiAction(
    'listWebhookNotifications',
    'Read the delivery history',
    'Across all subscriptions of the account, newest first, deleted ones included.',
  )
  @ApiData(HistoryResponse, 'A page of the history')
  @ApiFieldError('deviceId', 'is not a valid id')
  @ApiErrors(WebhookNotFound)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() request: HistoryRequest,
  ): Promise<HistoryResponse> {
    const query = request.read();
    return toHistoryResponse(query, await this.history.read(account, query));
  }

  @Get(':id')
  @ApiAction(
    'getWebhookNotification',
    'Read a delivery with its attempts one by one',
    'Each attempt with its time, the status code, and the beginning of what the endpoint answered.',
  )
  @ApiDeliveryId()
  @ApiData(DeliveryDetailResponse, 'The delivery')
  @ApiErrors(DeliveryNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @Param('id', DeliveryIdPipe) id: Types.ObjectId,
  ): Promise<DeliveryDetailResponse> {
    return toDeliveryDetailResponse(await this.history.view(account, id));
  }

  @Post(':id/redeliver')
  @ApiAction(
    'redeliverWebhookNotification',
    'Deliver an event again',
    'At once, with the same body and idempotency key; it is one attempt beyond those of the schedule.',
  )
  @ApiDeliveryId()
  @ApiData(DeliveryResponse, 'The delivery, with the attempt to come')
  @ApiErrors(DeliveryNotFound, DeliveryUnderWay, WebhookPaused, WebhookDeleted)
  @HttpCode(200)
  async redeliver(
    @CurrentAccount() account: AccountScope,
    @Param('id', DeliveryIdPipe) id: Types.ObjectId,
  ): Promise<DeliveryResponse> {
    const delivery = await this.redelivery.redeliver(account, id);
    return toDeliveryResponse(await this.history.withDevice(account, delivery));
  }
}
