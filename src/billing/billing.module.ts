import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { BillingService } from './billing.service';
import { PlanCatalogue } from './plan-catalogue';
import { Plan, PlanSchema } from './plan.schema';
import { PlansRepository } from './plans.repository';
import { UsageRepository } from './usage.repository';
import { Usage, UsageSchema } from './usage.schema';

/** Plans, and what accounts have used of them. */
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Plan.name, schema: PlanSchema },
      { name: Usage.name, schema: UsageSchema },
    ]),
  ],
  providers: [BillingService, PlanCatalogue, PlansRepository, UsageRepository],
  exports: [BillingService],
})
export class BillingModule {}
