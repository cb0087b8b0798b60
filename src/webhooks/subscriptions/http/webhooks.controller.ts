import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { LimitsConcurrency } from '../../../auth/http/concurrency.interceptor';
import {
  ApiEndpoint,
  ApiData,
  ApiSuccess,
  ApiDataList,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
  ApiPathId,
} from '../../../common/http/openapi-decorators';
import { SampleRequest } from './sample.request';
import { SampleResponse, toSampleResponse } from './sample.response';
import { WebhookSubscriptionChangesRequest, WebhookSubscriptionRequest } from './subscription.request';
import { WebhookSubscriptionResponse, toWebhookSubscriptionResponse } from './subscription.response';
import { WebhookIdPipe } from './webhook-id.pipe';
import { SampleService } from '../sample.service';
import { WebhookSubscriptionsService } from '../webhook-subscriptions.service';
import { WebhookLimitReached, WebhookNotFound, WebhookSecretLost } from '../../webhooks.errors';
import { TakesNoTurn, VerificationRequired } from '../../../auth/http/route-access.decorators';

const ApiWebhookId = () => ApiPathId('webhookId', 'Subscription id');

@ApiTags('Webhooks')
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsService,
    private readonly samples: SampleService,
  ) {}

  @Get()
  @ApiEndpoint(
    'listWebhooks',
    'List the webhook subscriptions of the account',
    'Paused subscriptions are included; their notes say why they were paused.',
  )
  @ApiDataList(WebhookSubscriptionResponse, 'The subscriptions, oldest first, without deleted ones')
  async list(@CurrentAccount() account: AccountScope): Promise<WebhookSubscriptionResponse[]> {
    return (await this.subscriptions.list(account)).map(toWebhookSubscriptionResponse);
  }

  @Post()
  @VerificationRequired()
  @ApiEndpoint(
    'createWebhook',
    'Subscribe a URL to events',
    'New events are posted to the URL, signed with the secret, and retried until the endpoint accepts them.',
  )
  @ApiJsonBody(WebhookSubscriptionRequest)
  @ApiData(WebhookSubscriptionResponse, 'The subscription', { status: 201 })
  @ApiFieldError('deliveryUrl', 'cannot be used: this is not a public address')
  @ApiError(new WebhookLimitReached(10))
  async create(
    @CurrentAccount() account: AccountScope,
    @Body() body: WebhookSubscriptionRequest,
  ): Promise<WebhookSubscriptionResponse> {
    return toWebhookSubscriptionResponse(await this.subscriptions.create(account, body));
  }

  @Get(':webhookId')
  @ApiEndpoint(
    'getWebhook',
    'Get a webhook subscription',
    'Includes its secret, counters, and notes of the service.',
  )
  @ApiWebhookId()
  @ApiData(WebhookSubscriptionResponse, 'The subscription')
  @ApiErrors(WebhookNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @Param('webhookId', WebhookIdPipe) id: Types.ObjectId,
  ): Promise<WebhookSubscriptionResponse> {
    return toWebhookSubscriptionResponse(await this.subscriptions.get(account, id));
  }

  @Patch(':webhookId')
  @ApiEndpoint(
    'updateWebhook',
    'Update a webhook subscription',
    'Changes only the fields that are sent. Pausing aborts pending deliveries.',
  )
  @ApiWebhookId()
  @ApiJsonBody(WebhookSubscriptionChangesRequest)
  @ApiData(WebhookSubscriptionResponse, 'The updated subscription')
  @ApiFieldError('signingSecret', 'must be longer than or equal to 20 characters')
  @ApiErrors(WebhookNotFound)
  async update(
    @CurrentAccount() account: AccountScope,
    @Param('webhookId', WebhookIdPipe) id: Types.ObjectId,
    @Body() body: WebhookSubscriptionChangesRequest,
  ): Promise<WebhookSubscriptionResponse> {
    return toWebhookSubscriptionResponse(await this.subscriptions.update(account, id, body));
  }

  @Delete(':webhookId')
  @ApiEndpoint(
    'deleteWebhook',
    'Delete a webhook subscription',
    'Aborts its pending deliveries. The delivery history stays readable.',
  )
  @ApiWebhookId()
  @ApiSuccess('The subscription is deleted')
  @ApiErrors(WebhookNotFound)
  async remove(
    @CurrentAccount() account: AccountScope,
    @Param('webhookId', WebhookIdPipe) id: Types.ObjectId,
  ): Promise<void> {
    await this.subscriptions.remove(account, id);
  }

  @TakesNoTurn('all') // it waits for the endpoint
  @LimitsConcurrency('webhookTests', 5)
  @Post(':webhookId/test')
  @ApiEndpoint(
    'testWebhook',
    'Send a sample of an event',
    'Posts a signed sample with the header X-Webhook-Test and returns the response of the endpoint. ' +
      'Works for paused subscriptions too. Samples are not retried or counted.',
  )
  @ApiWebhookId()
  @ApiJsonBody(SampleRequest)
  @ApiData(SampleResponse, 'The response of the endpoint')
  @ApiFieldError('event', 'must be one of the events that are emitted')
  @ApiErrors(WebhookNotFound, WebhookSecretLost)
  @HttpCode(200)
  async test(
    @CurrentAccount() account: AccountScope,
    @Param('webhookId', WebhookIdPipe) id: Types.ObjectId,
    @Body() { event = 'MESSAGE_RECEIVED' }: SampleRequest,
  ): Promise<SampleResponse> {
    return toSampleResponse(await this.samples.send(account, id, event));
  }
}
