import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { LimitsConcurrency } from '../auth/limits/limits-concurrency';
import { Clock } from '../common/clock';
import {
  ApiAction,
  ApiData,
  ApiDataList,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../common/http/openapi-decorators';
import { SuccessResponse } from '../common/http/success.response';
import { ReplayRequest } from './dto/replay.request';
import { ReplayResponse, toReplayResponse } from './dto/replay.response';
import { SampleRequest } from './dto/sample.request';
import { SampleResponse, toSampleResponse } from './dto/sample.response';
import { WebhookSubscriptionChangesRequest, WebhookSubscriptionRequest } from './dto/subscription.request';
import { WebhookSubscriptionResponse, toWebhookSubscriptionResponse } from './dto/subscription.response';
import { WebhookIdPipe } from './id.pipes';
import { RedeliveryService } from './redelivery.service';
import { SampleService } from './sample.service';
import { SubscriptionsService } from './subscriptions.service';
import {
  WebhookDeleted,
  WebhookLimitReached,
  WebhookNotFound,
  WebhookPaused,
  WebhookSecretLost,
} from './webhooks.errors';
import { VerificationRequired } from '../auth/verification-required';

const ApiWebhookId = () =>
  ApiParam({
    name: 'webhookId',
    description: 'Subscription id',
    type: String,
    example: '665f1c2ab7e1d4a9c0f3e812',
  });

@ApiTags('Webhooks')
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly samples: SampleService,
    private readonly redelivery: RedeliveryService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiAction(
    'listWebhooks',
    'List the webhook subscriptions of the account',
    'Paused subscriptions are included; their notes say why they were paused.',
  )
  @ApiDataList(WebhookSubscriptionResponse, 'The subscriptions, oldest first; those deleted left out')
  async list(@CurrentAccount() account: AccountScope): Promise<WebhookSubscriptionResponse[]> {
    return (await this.subscriptions.list(account)).map(toWebhookSubscriptionResponse);
  }

  @Post()
  @VerificationRequired()
  @ApiAction(
    'createWebhook',
    'Subscribe a URL to events',
    'Every event that is raised from now on is posted to the URL, signed with the secret, until the endpoint accepts it.',
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
  @ApiAction(
    'getWebhook',
    'Read a webhook subscription',
    'With its secret, its counters, and the notes of the service.',
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
  @ApiAction(
    'updateWebhook',
    'Change a webhook subscription',
    'Only the fields sent are changed. Pausing ends the deliveries that are under way.',
  )
  @ApiWebhookId()
  @ApiJsonBody(WebhookSubscriptionChangesRequest)
  @ApiData(WebhookSubscriptionResponse, 'The subscription as it is now')
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
  @ApiAction(
    'deleteWebhook',
    'Delete a webhook subscription',
    'All its deliveries stop. Their history stays readable.',
  )
  @ApiWebhookId()
  @ApiData(SuccessResponse, 'The subscription is deleted')
  @ApiErrors(WebhookNotFound)
  async remove(
    @CurrentAccount() account: AccountScope,
    @Param('webhookId', WebhookIdPipe) id: Types.ObjectId,
  ): Promise<SuccessResponse> {
    await this.subscriptions.remove(account, id);
    return { success: true };
  }

  @LimitsConcurrency('webhookTests', 5)
  @Post(':webhookId/test')
  @ApiAction(
    'testWebhook',
    'Send a sample of an event',
    'Posts it at once, signed as the real one and marked with the header X-Webhook-Test, and answers what the ' +
      'endpoint made of it. A paused subscription can be tested too. Samples are neither repeated nor counted.',
  )
  @ApiWebhookId()
  @ApiJsonBody(SampleRequest)
  @ApiData(SampleResponse, 'What the endpoint made of it')
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

  @LimitsConcurrency('replays', 2)
  @Post(':webhookId/replay')
  @ApiAction(
    'replayWebhook',
    'Deliver again what a span of time held',
    'For an endpoint that was down, or lost what it had: each delivery is made again at once with the same body and ' +
      'idempotency key, one attempt beyond those of the schedule. What is being attempted at this moment is left out.',
  )
  @ApiWebhookId()
  @ApiJsonBody(ReplayRequest)
  @ApiData(ReplayResponse, 'How many deliveries are on their way')
  @ApiFieldError('from', 'must be a date, or an ISO 8601 time with its zone')
  @ApiErrors(WebhookNotFound, WebhookPaused, WebhookDeleted)
  @HttpCode(200)
  async replay(
    @CurrentAccount() account: AccountScope,
    @Param('webhookId', WebhookIdPipe) id: Types.ObjectId,
    @Body() body: ReplayRequest,
  ): Promise<ReplayResponse> {
    const { span, start } = body.read(this.clock.now());
    return toReplayResponse(await this.redelivery.replay(account, id, span, start));
  }
}
