import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { PhoneKeyAllowed } from '../auth/phone-key-allowed';
import { AnswersBare } from '../common/http/envelope.interceptor';
import { ApiAction, ApiBare, ApiDataList } from '../common/http/openapi-decorators';
import {
  PlanResponse,
  SubscriptionResponse,
  toPlanResponse,
  toSubscriptionResponse,
} from './dto/billing.response';
import { SubscriptionsService } from './subscriptions.service';

@ApiTags('Account')
@Controller('billing')
export class BillingController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  @Get('plans')
  @ApiAction(
    'listPlans',
    'List the plans',
    'Each plan with its daily, monthly and per-batch limits; -1 is unlimited.',
  )
  @ApiDataList(PlanResponse, 'The plans of this installation')
  async listPlans(): Promise<PlanResponse[]> {
    return (await this.subscriptions.listPlans()).map(toPlanResponse);
  }

  @PhoneKeyAllowed('account')
  @Get('current-subscription')
  @AnswersBare()
  @ApiAction(
    'getCurrentSubscription',
    'Read the plan of the account and what is used of it',
    'Counts messages that were sent and received, today and in the current month, in UTC.',
  )
  @ApiBare(SubscriptionResponse, 'The plan and its use; this answer has no envelope')
  async current(@CurrentAccount() account: AccountScope): Promise<SubscriptionResponse> {
    return toSubscriptionResponse(await this.subscriptions.current(account));
  }
}
