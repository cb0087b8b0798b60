import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { PhoneKeyAllowed } from '../../auth/http/route-access.decorators';
import { Unwrapped } from '../../common/http/responses/envelope.interceptor';
import { ApiEndpoint, ApiUnwrapped, ApiDataList } from '../../common/http/openapi-decorators';
import {
  PlanResponse,
  SubscriptionResponse,
  toPlanResponse,
  toSubscriptionResponse,
} from './billing.response';
import { PlanSubscriptionService } from '../plan-subscription.service';

@ApiTags('Account')
@Controller('billing')
export class BillingController {
  constructor(private readonly subscriptions: PlanSubscriptionService) {}

  @Get('plans')
  @ApiEndpoint(
    'listPlans',
    'List the plans',
    'Lists all plans with their daily, monthly and per-batch limits; -1 is unlimited.',
  )
  @ApiDataList(PlanResponse, 'The plans of this installation')
  async listPlans(): Promise<PlanResponse[]> {
    return (await this.subscriptions.listPlans()).map(toPlanResponse);
  }

  @PhoneKeyAllowed('account')
  @Get('current-subscription')
  @Unwrapped()
  @ApiEndpoint(
    'getCurrentSubscription',
    'Read the plan and usage of the account',
    'Counts messages of today and of the current month, in UTC: those accepted to be sent then, also scheduled ones, ' +
      'without cancelled ones; and those received.',
  )
  @ApiUnwrapped(SubscriptionResponse, 'The plan and its usage; this response has no envelope')
  async current(@CurrentAccount() account: AccountScope): Promise<SubscriptionResponse> {
    return toSubscriptionResponse(await this.subscriptions.current(account));
  }
}
