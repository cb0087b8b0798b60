import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from './billing.module';
import { BillingController } from './http/billing.controller';

/** The routes of the plan and its usage. */
@Module({
  imports: [AuthModule, BillingModule],
  controllers: [BillingController],
})
export class BillingHttpModule {}
