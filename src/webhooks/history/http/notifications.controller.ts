import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { LimitsConcurrency } from '../../../auth/http/concurrency.interceptor';
import {
  ApiEndpoint,
  ApiData,
  ApiErrors,
  ApiFieldError,
  ApiPathId,
} from '../../../common/http/openapi-decorators';
import { DeliveryHistoryService } from '../delivery-history.service';
import {
  toHistoryResponse,
  DeliveryDetailResponse,
  HistoryResponse,
  toDeliveryDetailResponse,
} from './delivery.response';
import { HistoryRequest } from './history.request';
import { DeliveryIdPipe } from './delivery-id.pipe';
import { DeliveryNotFound, WebhookNotFound } from '../../webhooks.errors';

const ApiDeliveryId = () => ApiPathId('id', 'Delivery record id');

@ApiTags('Webhooks')
@Controller('webhooks/notifications')
export class NotificationsController {
  constructor(private readonly history: DeliveryHistoryService) {}

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
}
