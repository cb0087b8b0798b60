import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { BillingService } from './billing.service';
import { PlanAdministration } from './plans/plan-administration.service';
import { PlanCatalogue } from './plans/plan-catalogue';
import { Plan, PlanSchema } from './plans/plan.schema';
import { PlansRepository } from './plans/plans.repository';
import { PlanSubscriptionService } from './plan-subscription.service';
import { UsageRepository } from './usage/usage.repository';
import { Usage, UsageSchema } from './usage/usage.schema';

/** Plans and their usage by accounts. */
@Module({
  imports: [
    AuthModule,
    MongooseModule.forFeature([
      { name: Plan.name, schema: PlanSchema },
      { name: Usage.name, schema: UsageSchema },
    ]),
  ],
  providers: [
    BillingService,
    PlanAdministration,
    PlanCatalogue,
    PlansRepository,
    PlanSubscriptionService,
    UsageRepository,
  ],
  exports: [BillingService, PlanAdministration, PlanSubscriptionService],
})
export class BillingModule {}
