import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { BillingController } from './billing.controller';
import { BillingService } from './billing.service';
import { PlanAdministration } from './plan-administration.service';
import { PlanCatalogue } from './plan-catalogue';
import { Plan, PlanSchema } from './plan.schema';
import { PlansRepository } from './plans.repository';
import { SubscriptionsService } from './subscriptions.service';
import { UsageRecountRepository } from './usage-recount.repository';
import { UsageRepository } from './usage.repository';
import { Usage, UsageSchema } from './usage.schema';

/** Plans, and what accounts have used of them. */
@Module({
  imports: [
    AuthModule,
    MongooseModule.forFeature([
      { name: Plan.name, schema: PlanSchema },
      { name: Usage.name, schema: UsageSchema },
    ]),
  ],
  controllers: [BillingController],
  providers: [
    BillingService,
    PlanAdministration,
    PlanCatalogue,
    PlansRepository,
    SubscriptionsService,
    UsageRecountRepository,
    UsageRepository,
  ],
  exports: [BillingService, PlanAdministration, SubscriptionsService, UsageRecountRepository],
})
export class BillingModule {}
