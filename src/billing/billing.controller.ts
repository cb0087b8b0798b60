import { Controller, Get } from '@nestjs/common';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { AnswersBare } from '../common/http/envelope.interceptor';
import {
  PlanResponse,
  SubscriptionResponse,
  toPlanResponse,
  toSubscriptionResponse,
} from './dto/billing.response';
import { SubscriptionsService } from './subscriptions.service';

@Controller('billing')
export class BillingController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  @Get('plans')
  async listPlans(): Promise<PlanResponse[]> {
    return (await this.subscriptions.listPlans()).map(toPlanResponse);
  }

  @Get('current-subscription')
  @AnswersBare()
  async current(@CurrentAccount() account: AccountScope): Promise<SubscriptionResponse> {
    return toSubscriptionResponse(await this.subscriptions.current(account));
  }
}
